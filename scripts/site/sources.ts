import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { markdownOf, type RenderedDocument } from '@svc/service/markdown'
import { ROOT, WORKER_NAMES } from '../lib/workspace.ts'

export interface PageSource {
  readonly section: 'developer' | 'academic'
  readonly slug: string
  readonly title: string
  readonly markdown: string
  /** Relative to the root of the repository. */
  readonly file: string
  /** Of a page that shows the routes of a service. */
  readonly service?: string
}

/** Every page: the Markdown files, and one for the routes of each service. */
export function listPages(): PageSource[] {
  const files = globSync('workers/docs/pages/{developer,academic}/*.md', { cwd: ROOT }).toSorted()
  const written = files.map((file): PageSource => {
    const markdown = readFileSync(join(ROOT, file), 'utf8')
    const section = basename(dirname(file)) === 'academic' ? 'academic' : 'developer'
    return { section, slug: basename(file, '.md'), title: titleOf(file, markdown), markdown, file }
  })
  const references = WORKER_NAMES.map((service): PageSource => {
    const file = `workers/${service}/openapi.json`
    const document = JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as RenderedDocument
    const markdown = markdownOf({ ...document, info: { ...document.info, title: `Routes of ${service}` } })
    return { section: 'developer', slug: `api-${service}`, title: `Routes of ${service}`, markdown, file, service }
  })
  return [...written, ...references]
}

function titleOf(file: string, markdown: string): string {
  const title = /^# (.+)\n/.exec(markdown)?.[1]
  if (title === undefined) throw new Error(`${file} does not begin with its title`)
  return title
}
