"""What of a question in Chinese the demo understands: signs that stand for the English words it knows.

The answers are English all the same.
"""

import re

_CUES = (
    ("很长|长篇", "long"),
    ("推理|思考", "reasoning"),
    ("代码", "code"),
    ("表格", "table"),
    ("表情|汉字|中文", "unicode"),
    ("几点|什么时间|现在的时间", "what time"),
    ("东京", "tokyo"),
    ("柏林", "berlin"),
    ("伦敦", "london"),
    ("巴黎", "paris"),
    ("悉尼", "sydney"),
    ("邮件", "send mail"),
    ("慢慢数", "count slowly"),
    ("计算", "calculate"),
)
_SAYS = re.compile(r"(?:内容是|写着)[:：]?")


def with_cues(question: str) -> str:
    """The question with the English words for its signs before it; unchanged where it has none.

    What a mail is to say asks for nothing itself, in Chinese neither.
    """
    asked = _SAYS.split(question, maxsplit=1)
    cues = [words for sign, words in _CUES if re.search(sign, asked[0])]
    if not cues:
        return question
    return " ".join([*cues, " that says ".join(asked)])
