/** The few words that the composer itself shows, in the language of the page. */

const english = {
  message: "Message",
  placeholder: "Write a message",
  send: "Send",
  sendKeys: "Send (Enter)",
  stop: "Stop",
  stopKeys: "Stop (Esc)",
  model: "Model",
  sending: "Sending",
  notSent: "Not sent.",
  unsent: "It did not reach the server.",
  refused: "The server did not take it.",
  queued: "Waits for its turn.",
  paused: "After a stopped or failed answer, what waits is not sent by itself.",
  sendWaiting: "Send the next",
  editing: "Another version of an earlier message",
  cancel: "Cancel",
  edit: "Edit",
  discard: "Discard",
  busy: "Wait for the answer, or stop it, to send this.",
  offline: "Not connected. Your text is kept here.",
  tooLong: "A message has at most 200,000 characters. Nothing was sent; your text is kept here.",
  storage: "Drafts are not saved: no room in this browser.",
};

const chinese = {
  message: "消息",
  placeholder: "输入消息",
  send: "发送",
  sendKeys: "发送 (Enter)",
  stop: "停止",
  stopKeys: "停止 (Esc)",
  model: "模型",
  sending: "正在发送",
  notSent: "未发送。",
  unsent: "消息没有到达服务器。",
  refused: "服务器没有接受这条消息。",
  queued: "排队等待发送。",
  paused: "上一个回答被停止或失败，排队的消息不会自动发送。",
  sendWaiting: "发送下一条",
  editing: "较早消息的另一个版本",
  cancel: "取消",
  edit: "编辑",
  discard: "放弃",
  busy: "请等待回答完成，或先停止，再发送。",
  offline: "未连接。您的文字保留在这里。",
  tooLong: "一条消息最多 200,000 个字符。没有发送；您的文字保留在这里。",
  storage: "草稿未保存：此浏览器没有空间。",
};

/** The words for the `lang` of the document; English on the server and for any other language. */
export function words() {
  const language = typeof document === "undefined" ? "" : document.documentElement.lang;
  return language.startsWith("zh") ? chinese : english;
}
