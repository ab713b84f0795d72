/**
 * The reference of each service's API, from its OpenAPI document: one page, or one for each group of operations where a
 * single page would be too long to read and to load.
 *
 * @module
 */
import { errorPath } from '@svc/protocol/http/error-pages'
import { type ApiOperation, operationsIn, operationsOf, type RenderedDocument } from '@svc/service/markdown'
import { explainedLine } from './explanations/explanations.ts'
import { anchorOf } from './markdown.ts'
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
const errorHref = (name: string) => (/^[A-Z_]+$/.test(name) ? '/developer/did' : errorPath(name))

const INTRODUCTION =
  'Generated from the service’s OpenAPI document, which it serves at `/openapi.json`. An assertion needs the audience ' +
  'and the device capability that the operation names: see [Assertions](/developer/assertions). Examples are recorded ' +
  'from a running platform; `…` stands for the middle of a long value.'

const FACT_HREF = {
  Credential: '/developer/assertions',
  'Device capability': '/developer/devices',
  Limits: '/developer/limits',
}

/** `titles` are those of the written developer pages, by slug. */
export function referencePages(
  service: string,
  document: RenderedDocument,
  titles: ReadonlyMap<string, string> = new Map(),
): ReferencePage[] {
  const slug = `api-${service}`
  const name = NAMES[service] ?? `${service.slice(0, 1).toUpperCase()}${service.slice(1)}`
  const title = `${name} API`
  const operations = operationsIn(document)
  const about = `${document.info.description ?? ''} ${INTRODUCTION}`
  const retired = retiredLines(document)
  const trials = trialsOf(service)
  const rendering = { errorHref, factHref: FACT_HREF, after: trials.of }
  const explained = (tags: readonly string[]) => paragraph(explainedLine(service, tags, titles))
  if (operations.length <= MAX_OPERATIONS) {
    const tags = (document.tags ?? []).map((tag) => tag.name)
    const start = [...explained(tags), ...retired, ...trials.preamble(operations)]
    return [{ slug, title, markdown: joined(`# ${title}`, '', about, ...start, ...operationsOf(document, rendering)) }]
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
      const sections = operationsOf(document, { ...rendering, tag: tag.name })
      const first = `${tag.description}. [All groups](/developer/${slug}).`
      const start = [...explained([tag.name]), ...trials.preamble(tag.listed)]
      const markdown = joined(`# ${named}`, '', first, ...start, ...sections)
      return { slug: tag.slug, title: named, markdown, parent: slug }
    }),
  ]
}

const paragraph = (line: string) => (line === '' ? [] : ['', line])

function lineOf({ method, path, summary }: ApiOperation, slug: string): string {
  return `- [\`${method} ${path}\`](/developer/${slug}#${anchorOf(`${method} ${path}`)}) ${summary}`
}

function retiredLines({ 'x-retired': retired = [] }: RenderedDocument): string[] {
  if (retired.length === 0) return []
  return ['', 'Retired, 410 for every method:', '', ...retired.map(({ path, error }) => `- \`${path}\`: \`${error}\``)]
}

const capitalized = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
const joined = (...lines: string[]) => `${lines.join('\n')}\n`
