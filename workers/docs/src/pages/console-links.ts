/** What pages have in place of the origin of the console: `scripts/site` does not know the deployment. */
const PLACEHOLDER = 'https://console.invalid'
/** A paragraph with nothing but a link to the console, as HTML and as Markdown. */
const PARAGRAPH =
  /<p><a href="https:\/\/console\.invalid\/[^"]*">[^<]*<\/a><\/p>\n|\n\[[^\]\n]*\]\(https:\/\/console\.invalid\/[^)\s]*\)\n/g

/** The links to the console with its origin. A deployment without a console has none. */
export function withConsole(text: string, origin: string): string {
  return origin === '' ? text.replaceAll(PARAGRAPH, '') : text.replaceAll(PLACEHOLDER, origin)
}
