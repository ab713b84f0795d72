/** Puts a table after its marker, in place of the one that is there. */
export function withTable(page: string, marker: string, table: string): string {
  const [before = '', after = ''] = page.split(`${marker}\n\n`)
  const rest = after.split('\n').findIndex((line) => !line.startsWith('|'))
  return `${before}${marker}\n\n${table}\n${after.split('\n').slice(rest).join('\n')}`
}
