/** The few words that the component itself shows, in the language of the page. */

const english = {
  copy: "Copy code",
  copyMessage: "Copy",
  copied: "Copied",
  code: "Code",
  table: "Table",
  image: "Image",
  done: "Done",
  todo: "To do",
  thinking: "Thinking",
  reasoning: "Reasoning",
  waiting: "waiting for the model",
  gap: "Part of the text arrives when the answer is complete",
};

const chinese = {
  copy: "复制代码",
  copyMessage: "复制",
  copied: "已复制",
  code: "代码",
  table: "表格",
  image: "图片",
  done: "已完成",
  todo: "待办",
  thinking: "思考中",
  reasoning: "思考过程",
  waiting: "正在等待模型",
  gap: "部分文字将在回答完成后显示",
};

/** The words for the `lang` of the document; English on the server and for any other language. */
export function words() {
  const language = typeof document === "undefined" ? "" : document.documentElement.lang;
  return language.startsWith("zh") ? chinese : english;
}
