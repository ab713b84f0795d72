/**
 * The reference of each service's API, from its OpenAPI document: one page, or one for each group of operations where a
 * single page would be too long to read and to load.
 *
 * @module
 */
import { errorPath } from '@svc/protocol/http/error-pages'
import {
  type ApiOperation,
  operationsIn,
  operationsOf,
  type RenderedDocument,
  type RenderedOperation,
  type ShownOperation,
} from '@svc/service/markdown'
import { credentialLink, ownCredential } from './explanations/credentials.ts'
import { explainedLine } from './explanations/explanations.ts'
import { anchorOf } from './markdown.ts'
import { addressOf } from './try-it/commands.ts'
import { trialsOf } from './try-it/try-it.ts'

export interface ReferencePage {
  readonly slug: string
  readonly title: string
  readonly markdown: string
  /** The page that lists this one. */
  readonly parent?: string
}

/** A longer reference is split. */
const MAX_OPERATIONS = 36

const NAMES: Readonly<Record<string, string>> = { did: 'DID' }
/** Resolution has the errors of the W3C, which its own page lists. */
const errorHref = (name: string) => (/^[A-Z_]+$/.test(name) ? '/developer/did' : errorPath(name))

const INTRODUCTION =
  'Generated from the service’s OpenAPI document, which it serves at `/openapi.json`. Examples are recorded from a ' +
  'running platform; `…` stands for the middle of a long value.'
const ASSERTED =
  ' An assertion needs the audience and the device capability that the operation names: see ' +
  '[Assertions](/developer/assertions).'

const FACT_HREF = {
  'Device capability': '/developer/assertions#capabilities',
  Limits: '/developer/limits',
  Body: '/developer/limits#bodies',
}

/** Every service has these: health, versions, keys, and files about its host. */
const OF_EVERY_SERVICE = 'service'

/** `titles` are those of the written developer pages, by slug. */
export function referencePages(
  service: string,
  published: RenderedDocument,
  titles: ReadonlyMap<string, string> = new Map(),
): ReferencePage[] {
  const slug = `api-${service}`
  const name = NAMES[service] ?? capitalized(service)
  const title = `${name} API`
  const document = inGroups(published)
  const operations = operationsIn(document)
  const address = `On a [local start](/developer/quickstart#1-start-the-services) its address is \`${addressOf(service)}\`.`
  const about = joined(
    `# ${title}`,
    '',
    document.info.description ?? '',
    '',
    `${address} ${INTRODUCTION}${takesAssertions(document) ? ASSERTED : ''}`,
  ).trimEnd()
  const retired = retiredLines(document)
  const trials = trialsOf(service)
  const rendering = {
    errorHref,
    factHref: FACT_HREF,
    credential: credentialLink,
    ownCredential,
    after: (operation: ShownOperation) => [...trials.link(operation), ...trials.of(operation)],
  }
  const explained = (tags: readonly string[]) => paragraph(explainedLine(service, tags, titles))
  const groups = Map.groupBy(operations, ({ tag }) => tag)
  const tags = (document.tags ?? []).map((tag) => ({ ...tag, listed: groups.get(tag.name) ?? [] }))
  if (operations.length <= MAX_OPERATIONS) {
    const start = [
      ...explained(tags.map((tag) => tag.name)),
      ...tags.flatMap((tag) => ['', `**${tag.description}**`, '', ...tag.listed.map((operation) => lineOf(operation))]),
      ...retired,
      ...trials.preamble(operations),
    ]
    return [{ slug, title, markdown: joined(about, ...start, ...operationsOf(document, rendering)) }]
  }
  const slugOf = (tag: string) => `${slug}-${tag}`
  const index = tags.flatMap((tag) => [
    '',
    `## [${capitalized(tag.name)}](/developer/${slugOf(tag.name)})`,
    '',
    `${tag.description}.`,
    '',
    ...tag.listed.map((operation) => lineOf(operation, `/developer/${slugOf(tag.name)}`)),
  ])
  return [
    { slug, title, markdown: joined(about, ...retired, ...index) },
    ...tags.map((tag) => {
      const named = `${title}: ${tag.name}`
      const sections = operationsOf(document, { ...rendering, tag: tag.name })
      const first = `${tag.description}. [All groups](/developer/${slug}).`
      const list = tag.listed.length > 1 ? ['', ...tag.listed.map((operation) => lineOf(operation))] : []
      const start = [...explained([tag.name]), '', address, ...list, ...trials.preamble(tag.listed)]
      const markdown = joined(`# ${named}`, '', first, ...start, ...sections)
      return { slug: slugOf(tag.name), title: named, markdown, parent: slug }
    }),
  ]
}

/** With the operations of a group after one another, and those that every service has at the end. */
function inGroups(document: RenderedDocument): RenderedDocument {
  const isLast = (tag: string) => tag === OF_EVERY_SERVICE
  const tags = (document.tags ?? []).toSorted((a, b) => Number(isLast(a.name)) - Number(isLast(b.name)))
  const order = tags.map(({ name }) => name)
  const tagOf = (item: object) => (Object.values(item)[0] as RenderedOperation | undefined)?.tags?.[0] ?? ''
  const paths = Object.entries(document.paths ?? {}).toSorted(
    ([, a], [, b]) => order.indexOf(tagOf(a as object)) - order.indexOf(tagOf(b as object)),
  )
  return { ...document, tags, paths: Object.fromEntries(paths) }
}

const takesAssertions = ({ components }: RenderedDocument): boolean =>
  Object.hasOwn(components?.securitySchemes ?? {}, 'ServiceAssertion')
const paragraph = (line: string) => (line === '' ? [] : ['', line])

function lineOf({ method, path, summary }: ApiOperation, page = ''): string {
  return `- [\`${method} ${path}\`](${page}#${anchorOf(`${method} ${path}`)}) ${summary}`
}

function retiredLines({ 'x-retired': retired = [] }: RenderedDocument): string[] {
  if (retired.length === 0) return []
  return ['', 'Retired, 410 for every method:', '', ...retired.map(({ path, error }) => `- \`${path}\`: \`${error}\``)]
}

const capitalized = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
const joined = (...lines: string[]) => `${lines.join('\n')}\n`
