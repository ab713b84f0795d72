import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PUBLISHED } from '../changelog/repository-pages.ts'
import { ROOT } from '../root.ts'

export interface Entry {
  /** As programs import it: `@svc/client/verify`. */
  readonly name: string
  readonly file: string
}

/** What the published packages export: the modules of the reference. */
export const ENTRIES: readonly Entry[] = PUBLISHED.flatMap((published) => {
  const folder = `packages/${published}`
  const { name, exports } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as {
    readonly name: string
    readonly exports: Readonly<Record<string, string>>
  }
  return Object.entries(exports).map(([path, file]) => ({
    name: name + path.slice(1),
    file: join(ROOT, folder, file),
  }))
})
