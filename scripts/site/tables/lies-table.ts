import { join } from 'node:path'
import { ROOT } from '../root.ts'

const SOURCE = 'packages/client/test/lies/table.ts'
export const LIES_MARKER = `<!-- The table below is generated from ${SOURCE} -->`

interface Found {
  readonly lie: string
  readonly subject: string
  readonly reason: string
  readonly where?: object
}
interface Table {
  readonly LIES: readonly { readonly name: string; readonly given?: string; readonly lies: readonly Found[] }[]
}

/** What each method of the SDK finds: the rows that its tests run. */
export async function liesTable(): Promise<string> {
  const { LIES } = (await import(join(ROOT, SOURCE))) as Table
  const rows = LIES.flatMap(({ name, given, lies }) => {
    const method = [`\`${name}\``, ...(given === undefined ? [] : [given])].join(' ')
    return lies.map((found) => `| ${method} | ${cellsOf(found)} |`)
  })
  return `| Method | A service that … | \`subject\` | \`reason\` | \`where\` |\n|---|---|---|---|---|\n${rows.join('\n')}`
}

function cellsOf({ lie, subject, reason, where = {} }: Found): string {
  const places = Object.keys(where).map((name) => `\`${name}\``)
  return `${lie} | \`${subject}\` | \`${reason}\` | ${places.join(', ')}`
}
