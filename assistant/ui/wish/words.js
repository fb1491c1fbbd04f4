/** The few words of wishes, in the language of the page. */

const english = {
  offline: "Not connected. Try again in a moment.",
  notDone: (name) => `“${name}” did not reach the server. Nothing was done; press it again.`,
  earlier: "Earlier version",
  later: "Later version",
};

const chinese = {
  offline: "未连接，请稍后再试。",
  notDone: (name) => `“${name}”没有到达服务器，没有执行；请再按一次。`,
  earlier: "上一个版本",
  later: "下一个版本",
};

/** The words for the `lang` of the document; English on the server and for any other language. */
export function words() {
  const language = typeof document === "undefined" ? "" : document.documentElement.lang;
  return language.startsWith("zh") ? chinese : english;
}
