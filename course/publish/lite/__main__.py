"""``python -m course.publish.lite SITE [PYODIDE]``"""

import sys
from pathlib import Path

from .site import build

print(build(Path(sys.argv[1]), *sys.argv[2:3]).summary)
