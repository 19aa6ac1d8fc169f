"""Command line of the models: practical questions, answered with assumptions, ranges and sources.

`main` is the command ``chip2cluster``, and `ask` runs the same line from Python. Each answer lists its assumptions
with their origin (given, sheet, payload, measured, fitted, illustrative), and for each number its range, the function
that computes it, and the chapter that explains it. ``chip2cluster COMMAND --help`` lists the options.

>>> from chip2cluster.shell import ask
>>> llama = '--model "Llama 3 70B"'
>>> h100 = '--chip "H100 SXM"'
>>> answer = ask(f'size {llama} {h100} --tokens 15e12 --deadline "30 days" --mfu 40%')
>>> answer["chips"], answer.met
(7133, True)

The ten questions of ``help(chip2cluster)``; prefixed with ``chip2cluster`` they are shell commands.

>>> ask(f'size --parameters 70B {h100} --tokens 15T --deadline "30 days" --mfu 0.4')["chips"]
6142
>>> answer = ask(f"kernel {h100} --threads 256 --registers 80 --at-least 50%")
>>> answer["occupancy"], answer["limiters"], answer.problems
(0.375, 'registers', ('37.5 % is less than 50 %, by registers',))
>>> answer = ask(f'allreduce {h100} --bytes "2 GB" --nodes 32 --nic "400 Gb/s"')
>>> round(1e3 * answer["sharded_seconds"], 1), round(answer["critical_tokens"])
(17.5, 2464)
>>> answer = ask(f"serve {llama} {h100} --chips 8 --prompt 32000 --output 768")
>>> answer["cache_bytes"] / 1e9, round(1e3 * answer["alone_seconds"], 1)
(10.73741824, 10.6)
>>> answer = ask(f'plan --model "Llama 3.1 405B" {h100} --tokens 15T --chips 1024')
>>> answer.met, "tensor=" in answer["layout"], answer["memory_bytes"] < 85.6e9
(True, True, True)
>>> answer = ask(f'checkpoint {llama} --chips 1024 --storage "20 GB/s" --synchronous')
>>> round(answer["interval_seconds"] / 60), round(answer["goodput"], 2)
(69, 0.97)
>>> answer = ask(f'cost {h100} --chips 1024 --time "180 days" --country France')
>>> round(answer["rent_dollars"] / 1e6, 1), round(answer["kg_by_location"] / 1e3)
(13.2, 267)
>>> ask(f"network {h100} --nodes 128 --nodes-per-group 32 --oversubscription 2").problems
('not non-blocking: 50 % of full bisection bandwidth',)
>>> cards = '--peak "71 TFLOP/s" --memory "24 GB" --memory-bandwidth "936 GB/s"'
>>> round(ask(f"mfu --parameters 1.3B {cards} --chips 8 --tokens-per-second 24e3")["mfu"], 2)
0.33
"""

from .answer import Answer, Assumption, Number
from .command import ask, main
from .shared_options import UsageError

__all__ = ["Answer", "Assumption", "Number", "UsageError", "ask", "main"]
