/** Renders an OpenAPI document as Markdown for people and language models. */
import { describeValue, fieldsOf, type Schema, type Schemas } from './markdown-fields.ts'

export interface RenderedDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string }
  readonly tags?: readonly { readonly name: string; readonly description?: string }[]
  readonly paths?: object
  readonly components?: { readonly responses?: object; readonly schemas?: object; readonly securitySchemes?: object }
  readonly 'x-retired'?: readonly { readonly path: string; readonly error: string }[]
}

export interface RenderedOperation {
  readonly operationId?: string
  readonly tags?: readonly string[]
  readonly summary?: string
  readonly description?: string
  readonly security?: readonly Record<string, unknown>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content?: Content }
  readonly responses?: Record<string, Answer>
  readonly 'x-audience'?: readonly string[]
  readonly 'x-device-capability'?: string
  readonly 'x-rate-limit'?: Limits
  readonly 'x-max-body-bytes'?: number
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema?: Schema
}

type Content = Readonly<Record<string, { readonly schema?: Schema; readonly example?: unknown }>>

interface Answer {
  readonly description?: string
  readonly $ref?: string
  readonly content?: Content
}

interface Window {
  readonly counter: string
  readonly limit: number
  readonly seconds: number
}

interface Limits {
  readonly tier: string | null
  readonly tierLimit: number | null
  readonly routeLimit?: number
  readonly routeWindow?: Window
  readonly handlerWindows?: readonly Window[]
}

export interface Rendering {
  /** Only the operations of this group; all of them otherwise. */
  readonly tag?: string
  /** Where an error is explained, by its name. */
  readonly errorHref?: (name: string) => string
  /** Where it is explained what an operation needs, by the word that begins its line. */
  readonly factHref?: Readonly<Partial<Record<Fact, string>>>
  /** A credential as it is shown, by the name of its scheme. */
  readonly credential?: (scheme: string) => string
  /** What a request without such a scheme has instead, such as a signed body. */
  readonly ownCredential?: (operation: RenderedOperation) => string | undefined
  /** What follows the description of an operation, such as code that calls it. */
  readonly after?: (operation: ShownOperation) => readonly string[]
}

export type Fact = 'Credential' | 'Device capability' | 'Limits' | 'Body'

export interface ShownOperation {
  /** In upper case. */
  readonly method: string
  readonly path: string
  readonly operation: RenderedOperation
}

export function markdownOf(document: RenderedDocument, rendering: Rendering = {}): string {
  const lines = [`# ${document.info.title}`, '', `Version ${document.info.version}. ${document.info.description ?? ''}`]
  // Facts shared by many operations come once, before them.
  for (const response of Object.values(document.components?.responses ?? {}))
    lines.push('', `Any read, 301: ${(response as Answer).description}.`)
  const retired = document['x-retired'] ?? []
  if (retired.length > 0)
    lines.push(
      '',
      'Retired, 410 for every method:',
      '',
      ...retired.map(({ path, error }) => `- \`${path}\`: \`${error}\``),
    )
  return `${[...lines, ...operationsOf(document, rendering)].join('\n')}\n`
}

export interface ApiOperation {
  readonly method: string
  readonly path: string
  readonly tag: string
  readonly summary: string
}

export interface ListedOperation extends ApiOperation {
  readonly operation: RenderedOperation
}

export function operationsIn(document: RenderedDocument): ListedOperation[] {
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    Object.entries(item as Record<string, RenderedOperation>).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      tag: operation.tags?.[0] ?? '',
      summary: operation.summary ?? '',
      operation,
    })),
  )
}

/** The operations alone, a section each. */
export function operationsOf(document: RenderedDocument, rendering: Rendering = {}): string[] {
  const schemas = (document.components?.schemas ?? {}) as Schemas
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    Object.entries(item as Record<string, RenderedOperation>)
      .filter(([, { tags = [] }]) => rendering.tag === undefined || tags.includes(rendering.tag))
      .flatMap(([method, operation]) => ['', ...operationLines(method, path, operation, schemas, rendering)]),
  )
}

function operationLines(
  method: string,
  path: string,
  operation: RenderedOperation,
  schemas: Schemas,
  rendering: Rendering,
): string[] {
  const { errorHref, factHref = {}, after } = rendering
  const { summary = '', description, parameters = [], requestBody, responses = {} } = operation
  const request = jsonOf(requestBody?.content)
  const answers = Object.entries(responses).filter(([status, { $ref }]) => $ref === undefined && status < '400')
  const errors = Object.entries(responses).filter(([status]) => status >= '400')
  const fact = (name: Fact, value: string) => {
    const href = factHref[name]
    return `- ${href === undefined ? name : `[${name}](${href})`}: ${value}`
  }
  return [
    `## ${method.toUpperCase()} ${path}`,
    '',
    `${summary}.`,
    '',
    fact('Credential', credentialOf(operation, rendering)),
    ...(operation['x-device-capability'] ? [fact('Device capability', `\`${operation['x-device-capability']}\``)] : []),
    fact('Limits', limitsOf(operation['x-rate-limit'])),
    ...(operation['x-max-body-bytes'] ? [fact('Body', `at most ${operation['x-max-body-bytes']} bytes`)] : []),
    ...(description ? ['', description] : []),
    ...(after?.({ method: method.toUpperCase(), path, operation }) ?? []),
    ...parameterTable(parameters, schemas),
    ...(request ? ['', '**Request body**', ...bodyLines(request, schemas)] : []),
    ...answers.flatMap(([status, answer]) => answerLines(status, answer, schemas)),
    ...errorTable(errors, errorHref),
  ]
}

function credentialOf(operation: RenderedOperation, { credential = (name) => name, ownCredential }: Rendering): string {
  const schemes = (operation.security ?? []).flatMap((scheme) => Object.keys(scheme)).map(credential)
  if (schemes.length === 0) return ownCredential?.(operation) ?? 'none'
  const optional = (operation.security ?? []).some((scheme) => Object.keys(scheme).length === 0)
  const audience = operation['x-audience']?.map((name) => `\`${name}\``).join(' or ')
  return `${schemes.join(' or ')}${audience ? `, audience ${audience}` : ''}${optional ? ' (optional)' : ''}`
}

function limitsOf(limits: Limits | undefined): string {
  if (!limits?.tier) return 'none'
  const windows = [...(limits.routeWindow ? [limits.routeWindow] : []), ...(limits.handlerWindows ?? [])]
  return [
    `${limits.tierLimit} requests in 60 seconds (tier \`${limits.tier}\`)`,
    ...(limits.routeLimit ? [`${limits.routeLimit} of them on this route`] : []),
    ...windows.map(({ counter, limit, seconds }) => `${limit} in ${seconds} seconds (\`${counter}\`)`),
  ].join(', ')
}

const jsonOf = (content: Content | undefined) =>
  Object.entries(content ?? {}).find(([type]) => type.includes('json'))?.[1]

function parameterTable(parameters: readonly Parameter[], schemas: Schemas): string[] {
  if (parameters.length === 0) return []
  const rows = parameters.map(({ name, in: place, required, description, schema = {} }) => {
    const { type, about } = describeValue(schema, schemas)
    const at = required ? place : `${place}, optional`
    return `| \`${name}\` | ${at} | ${cell(type)} | ${cell(description ?? about)} |`
  })
  return ['', '| Parameter | In | Value | Meaning |', '|---|---|---|---|', ...rows]
}

function bodyLines({ schema, example }: { schema?: Schema; example?: unknown }, schemas: Schemas): string[] {
  const rows = fieldsOf(schema ?? {}, schemas).map(
    ({ name, type, isRequired, about }) =>
      `| \`${name}\` | ${cell(type)}${isRequired ? '' : ', optional'} | ${cell(about)} |`,
  )
  return [
    ...(rows.length === 0 ? [] : ['', '| Member | Value | Meaning |', '|---|---|---|', ...rows]),
    ...(example === undefined ? [] : ['', '```json', JSON.stringify(shortened(example), null, 2), '```']),
  ]
}

function answerLines(status: string, { description = '', content }: Answer, schemas: Schemas): string[] {
  const json = jsonOf(content)
  const types = Object.keys(content ?? {}).filter((type) => type !== 'application/json')
  const named = types.length > 0 && types.length < 4 ? ` (${types.map((type) => `\`${type}\``).join(', ')})` : ''
  return ['', `**${status}**: ${description}${named}`, ...(json ? bodyLines(json, schemas) : [])]
}

/** Each status with the errors that it stands for. */
function errorTable(answers: readonly [string, Answer][], href: Rendering['errorHref']): string[] {
  if (answers.length === 0) return []
  const rows = answers.flatMap(([status, { description = '' }]) =>
    description.split(/(?:^|\. )(?=`[^`]+`: )/).flatMap((part) => {
      const [, name, text = ''] = /^`([^`]+)`: (.*)$/s.exec(part) ?? [undefined, undefined, part]
      if (text === '') return []
      const shown = name === undefined ? '' : href ? `[\`${name}\`](${href(name)})` : `\`${name}\``
      return [`| ${status} | ${shown} | ${cell(text)} |`]
    }),
  )
  return ['', '| Status | Error | Meaning |', '|---|---|---|', ...rows]
}

/** An example as pages show it: a key or a signature fills a screen, and tells a reader nothing. */
export function shortened(value: unknown): unknown {
  if (typeof value === 'string') return value.length > 100 ? `${value.slice(0, 16)}…${value.slice(-8)}` : value
  if (Array.isArray(value)) return value.map(shortened)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shortened(member)]))
}

const cell = (text: string) => text.replaceAll('|', String.raw`\|`).replaceAll('\n', ' ')
