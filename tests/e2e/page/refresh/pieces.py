"""What an answer is made of as a person reads it: texts and calls, from its top."""

from tests.support.chat_page import ChatPage

_PIECES = """answer => {
  const pieces = [];
  const nodes = document.createTreeWalker(answer, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  while (nodes.nextNode()) {
    const { currentNode: node } = nodes;
    if (node.dataset?.callId) pieces.push(`call ${node.dataset.callId}`);
    else if (node.data && !node.parentElement.closest("[data-chrome]")) pieces.push(node.data.trim());
  }
  return pieces.filter(Boolean);
}"""


def pieces(chat: ChatPage) -> list[str]:
    """Of the last answer: each text as it is read, each call as `call <id>`."""
    return chat.answers.last.evaluate(_PIECES)
