/**
 * The reference of each service's API, from its OpenAPI document: one page, or one for each group of operations where a
 * single page would be too long to read and to load.
 *
 * @module
 */
import { type ApiOperation, operationsIn, operationsOf, type RenderedDocument } from '@svc/service/markdown'
import { anchorOf, errorAnchor } from './markdown.ts'
import { trialsOf } from './try-it/try-it.ts'

export interface ReferencePage {
  readonly slug: string
  readonly title: string
  readonly markdown: string
  /** The page that lists this one. */
  readonly parent?: string
}

/** A longer reference is split. */
const MAX_OPERATIONS = 60

const NAMES: Readonly<Record<string, string>> = { did: 'DID' }
/** Resolution has the errors of the W3C, which its own page lists. */
const errorHref = (name: string) =>
  /^[A-Z_]+$/.test(name) ? '/developer/did' : `/developer/errors#${errorAnchor(name)}`

const INTRODUCTION =
  'Generated from the service’s OpenAPI document, which it serves at `/openapi.json`. An assertion needs the audience ' +
  'and the device capability that the operation names: see [Assertions](/developer/assertions). Examples are recorded ' +
  'from a running platform; `…` stands for the middle of a long value.'

export function referencePages(service: string, document: RenderedDocument): ReferencePage[] {
  const slug = `api-${service}`
  const name = NAMES[service] ?? `${service.slice(0, 1).toUpperCase()}${service.slice(1)}`
  const title = `${name} API`
  const operations = operationsIn(document)
  const about = `${document.info.description ?? ''} ${INTRODUCTION}`
  const retired = retiredLines(document)
  const trials = trialsOf(service)
  if (operations.length <= MAX_OPERATIONS) {
    const sections = operationsOf(document, { errorHref, after: trials.of })
    const start = [...retired, ...trials.preamble(operations)]
    return [{ slug, title, markdown: joined(`# ${title}`, '', about, ...start, ...sections) }]
  }
  const groups = Map.groupBy(operations, ({ tag }) => tag)
  const tags = (document.tags ?? []).map((tag) => ({
    ...tag,
    slug: `${slug}-${tag.name}`,
    listed: groups.get(tag.name) ?? [],
  }))
  const index = tags.flatMap((tag) => [
    '',
    `## [${capitalized(tag.name)}](/developer/${tag.slug})`,
    '',
    `${tag.description}.`,
    '',
    ...tag.listed.map((operation) => lineOf(operation, tag.slug)),
  ])
  return [
    { slug, title, markdown: joined(`# ${title}`, '', about, ...retired, ...index) },
    ...tags.map((tag) => {
      const named = `${title}: ${tag.name}`
      const sections = operationsOf(document, { tag: tag.name, errorHref, after: trials.of })
      const first = `${tag.description}. [All groups](/developer/${slug}).`
      const markdown = joined(`# ${named}`, '', first, ...trials.preamble(tag.listed), ...sections)
      return { slug: tag.slug, title: named, markdown, parent: slug }
    }),
  ]
}

function lineOf({ method, path, summary }: ApiOperation, slug: string): string {
  return `- [\`${method} ${path}\`](/developer/${slug}#${anchorOf(`${method} ${path}`)}) ${summary}`
}

function retiredLines({ 'x-retired': retired = [] }: RenderedDocument): string[] {
  if (retired.length === 0) return []
  return ['', 'Retired, 410 for every method:', '', ...retired.map(({ path, error }) => `- \`${path}\`: \`${error}\``)]
}

const capitalized = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
const joined = (...lines: string[]) => `${lines.join('\n')}\n`
