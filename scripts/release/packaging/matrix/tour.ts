import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DEFAULT_PORT_BASE, portOf, ROOT, WORKER_NAMES } from '@svc/platform/workspace'

const page = readFileSync(join(ROOT, 'workers/docs/pages/developer/sdk.md'), 'utf8')
const [, program = '', output = ''] = /^```ts packages\n(.+?)^```\n\n```text output\n(.+?)^```$/ms.exec(page) ?? []

/** What the page says that the program prints. */
export const TOUR_OUTPUT = output.trim()

/** The program of the page, for this platform and the origin of this page. */
export function tourFor(urls: Readonly<Record<string, string>>, origin: string): string {
  return WORKER_NAMES.reduce(
    (changed, name) => changed.replaceAll(`http://localhost:${portOf(name, DEFAULT_PORT_BASE)}`, urls[name] ?? ''),
    program,
  ).replaceAll('http://localhost:3000', origin)
}

/** The same with an address of its own, so that one run uses up none of another's limits. Browsers can't send it. */
export function tourFrom(address: string, tour: string): string {
  return tour.replaceAll(', origin })', `, origin, headers: { 'cf-connecting-ip': '${address}' } })`)
}

/** A module whose function `run` does what the program does, and returns what it prints. */
export function asFunction(tour: string): string {
  const lines = tour.split('\n')
  const imports = lines.filter((line) => line.startsWith('import '))
  const rest = lines.filter((line) => !line.startsWith('import '))
  return `${imports.join('\n')}
export async function run() {
  const printed: string[] = []
  const console = { log: (line: string) => void printed.push(line) }
  ${rest.join('\n  ')}
  return printed.join('\\n')
}
`
}
