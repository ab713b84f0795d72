import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { RenderedDocument } from '@svc/service/markdown'
import { repositoryPages } from './changelog/repository-pages.ts'
import { referencePages } from './references.ts'
import { ROOT } from './root.ts'

/** The services with a committed OpenAPI document, by name. */
export const SERVICES = globSync('workers/*/openapi.json', { cwd: ROOT })
  .map((file) => basename(dirname(file)))
  .toSorted()

export interface PageSource {
  readonly section: 'developer' | 'academic'
  readonly slug: string
  readonly title: string
  readonly markdown: string
  /** Repository path. */
  readonly file: string
  /** Whether the page is the reference of an API, or a part of one. */
  readonly isReference?: boolean
  /** The slug of the page that lists this one instead of the contents. */
  readonly parent?: string
}

/** The Markdown of the page at `/`. */
export function homeSource(): string {
  return readFileSync(join(ROOT, 'workers/docs/pages/home.md'), 'utf8')
}

/** Lists every page: the Markdown files, those made from files of the repository, and the reference of each service’s API. */
export function listPages(): PageSource[] {
  const files = globSync('workers/docs/pages/{developer,academic}/*.md', { cwd: ROOT }).toSorted()
  const written = files.map((file): PageSource => {
    const markdown = readFileSync(join(ROOT, file), 'utf8')
    const section = basename(dirname(file)) === 'academic' ? 'academic' : 'developer'
    return { section, slug: basename(file, '.md'), title: titleOf(file, markdown), markdown, file }
  })
  const titles = new Map(
    written.filter(({ section }) => section === 'developer').map(({ slug, title }) => [slug, title]),
  )
  const references = SERVICES.flatMap((service) => {
    const pages = referencePages(service, documentOf(service), titles)
    const file = documentFile(service)
    return pages.map((page): PageSource => ({ ...page, section: 'developer', file, isReference: true }))
  })
  return [...written, ...repositoryPages(ROOT), ...references]
}

const documentFile = (service: string) => `workers/${service}/openapi.json`

export function documentOf(service: string): RenderedDocument {
  return JSON.parse(readFileSync(join(ROOT, documentFile(service)), 'utf8')) as RenderedDocument
}

function titleOf(file: string, markdown: string): string {
  const title = /^# (.+)\n/.exec(markdown)?.[1]
  if (title === undefined) throw new Error(`${file} must begin with its title`)
  return title
}
