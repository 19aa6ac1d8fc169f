"""Questions of work, asked in a terminal or in one line of Python: an answer has its assumptions and its pages with it.

`main` is the command ``chip2cluster``, and `ask` the same line as Python. Each answer says what it took for
granted and from where (given, sheet, payload, measured, fitted, illustrative), between what a number
lies, which function gives it, and which page explains it. ``chip2cluster COMMAND --help`` lists the options.

>>> from chip2cluster import shell
>>> answer = shell.ask('size --model "Llama 3 70B" --tokens 15e12 --deadline "30 days" --chip "H100 SXM" --mfu 40%')
>>> answer["chips"], answer.met
(7133, True)

The ten questions of ``help(chip2cluster)``, asked of `ask` or, with ``chip2cluster`` before them, of a shell:

>>> ask = shell.ask
>>> ask('size --parameters 70B --tokens 15T --deadline "30 days" --chip "H100 SXM" --mfu 0.4')["chips"]             # 1
6142
>>> answer = ask('kernel --chip "H100 SXM" --threads 256 --registers 80 --at-least 50%')                            # 2
>>> answer["occupancy"], answer["limiters"], answer.problems
(0.375, 'registers', ('37.5 % is less than 50 %, by registers',))
>>> round(1e3 * ask('allreduce --bytes "2 GB" --nodes 32 --chip "H100 SXM" --nic "400 Gb/s"')["sharded_seconds"], 1)   # 3
17.5
>>> answer = ask('serve --model "Llama 3 70B" --chip "H100 SXM" --chips 8 --prompt 32000 --output 768')             # 4, 8
>>> answer["cache_bytes"] / 1e9, round(1e3 * answer["alone_seconds"], 1)
(10.73741824, 6.3)
>>> answer = ask('plan --model "Llama 3.1 405B" --tokens 15T --chips 1024 --chip "H100 SXM"')                       # 5
>>> answer.met, answer["layout"].split()[0], answer["memory_bytes"] < 80e9
(True, 'tensor=8', True)
>>> answer = ask('checkpoint --model "Llama 3 70B" --chips 1024 --storage "20 GB/s" --synchronous')                 # 6
>>> round(answer["interval_seconds"] / 60), round(answer["goodput"], 2)
(69, 0.97)
>>> answer = ask('cost --chip "H100 SXM" --chips 1024 --time "180 days" --country France')                          # 7
>>> round(answer["rent_dollars"] / 1e6, 1), round(answer["kg_by_location"] / 1e3)
(13.2, 219)
>>> ask('network --chip "H100 SXM" --nodes 128 --nodes-per-group 32 --nic "400 Gb/s"').met                          # 9
True
>>> round(ask('mfu --parameters 1.3B --chips 8 --tokens-per-second 24e3 --peak "71 TFLOP/s" --memory "24 GB" '      # 10
...           '--memory-bandwidth "936 GB/s"')["mfu"], 2)
0.33
"""

from .answer import Answer, Assumption, Number
from .command import ask, main
from .common import Unusable

__all__ = ["Answer", "Assumption", "Number", "Unusable", "ask", "main"]
