/** The few words of the list of sessions, in the language of the page. */

const english = {
  sessions: "Sessions",
  offline: "Not connected. Try again in a moment.",
  renameTip: "Rename",
  rename: (title) => `Rename ${title}`,
  title: "Title",
  remove: "Delete",
  deleted: (title) => `Deleted “${title}”.`,
  undo: "Undo",
};

const chinese = {
  sessions: "会话",
  offline: "未连接，请稍后再试。",
  renameTip: "重命名",
  rename: (title) => `重命名 ${title}`,
  title: "标题",
  remove: "删除",
  deleted: (title) => `已删除“${title}”。`,
  undo: "撤销",
};

/** The words for the `lang` of the document; English on the server and for any other language. */
export function words() {
  const language = typeof document === "undefined" ? "" : document.documentElement.lang;
  return language.startsWith("zh") ? chinese : english;
}
