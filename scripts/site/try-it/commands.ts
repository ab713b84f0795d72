/**
 * The curl commands of the API reference, from the OpenAPI documents: against a local start with its default ports.
 *
 * @module
 */
import type { ShownOperation } from '@svc/service/markdown'
import { BODIES, HEADERS, VALUES } from './values.ts'

const PORTS: Readonly<Record<string, number>> = {
  core: 8787,
  provenance: 8788,
  consent: 8789,
  did: 8790,
  keys: 8791,
  auth: 8792,
  pay: 8793,
  docs: 8794,
}

/** These refuse every write without one. */
const NEED_ORIGIN = new Set(['did', 'keys', 'auth'])
const ORIGIN = 'http://localhost:3000'
/** A longer body says nothing to a reader, and is signed in most cases. */
const MAX_BODY = 420
const WRAP = 100

export const addressOf = (service: string): string => `http://localhost:${PORTS[service]}`

export type Command = { readonly text: string } | { readonly whyNot: string }

/** The command of an operation, or why there is none. */
export function commandOf(service: string, shown: ShownOperation): Command {
  const { operation } = shown
  const schemes = (operation.security ?? []).flatMap((scheme) => Object.keys(scheme))
  if (schemes.length > 0 && !schemes.includes('ServiceAssertion'))
    return { whyNot: 'a program makes the credential of this request' }
  const body = bodyOf(service, shown)
  if (body === null) return { whyNot: 'a program computes or signs the body of this request' }
  const path = pathOf(service, shown)
  if (path === null) return { whyNot: 'the address has an id from an earlier request' }
  return { text: textOf(service, shown, path, body) }
}

function textOf(service: string, shown: ShownOperation, path: string, body: string | undefined): string {
  const { method, operation } = shown
  const security = operation.security ?? []
  const isAsserted = security.length > 0 && !security.some(isEmpty)
  const address = `${addressOf(service)}${path}`
  const url = isAsserted ? '$url' : quoted(address)
  const parts = [
    ...(isAsserted ? [`-H "$(scripts/assertion ${audienceOf(shown)} ${method} $url${body ? ' "$body"' : ''})"`] : []),
    ...(!['GET', 'HEAD'].includes(method) && NEED_ORIGIN.has(service) ? [`-H 'Origin: ${ORIGIN}'`] : []),
    ...(HEADERS[keyOf(service, shown)] ?? []).map((header) => `-H '${header}'`),
    ...bodyParts(shown, body, isAsserted),
  ]
  const verb = method === 'HEAD' ? '-I' : method === 'GET' || (method === 'POST' && body) ? '' : `-X ${method}`
  return [
    ...variables(`${address} ${body ?? ''}`),
    ...(isAsserted ? [`url=${quoted(address)}`] : []),
    ...(isAsserted && body ? [`body=${body}`] : []),
    wrapped(['curl', verb].filter(Boolean).join(' '), [...parts, url]),
  ].join('\n')
}

const isEmpty = (scheme: object) => Object.keys(scheme).length === 0
const keyOf = (service: string, { operation }: ShownOperation) => `${service} ${operation.operationId}`
const audienceOf = ({ operation }: ShownOperation) => operation['x-audience']?.[0] ?? ''

/** What the throw-away identity of the local platform is called. */
function variables(text: string): string[] {
  return [
    ...(text.includes('$did') ? ['did=$(scripts/assertion --did)'] : []),
    ...(text.includes('$userId') ? ['userId=$(scripts/assertion --user-id)'] : []),
  ]
}

/** The body as a word of the shell; undefined without one, null if it cannot be shown. */
function bodyOf(service: string, shown: ShownOperation): string | null | undefined {
  const { requestBody } = shown.operation
  const given = BODIES[keyOf(service, shown)]
  if (given !== undefined) return given
  if (!requestBody) return undefined
  const example = requestBody.content?.['application/json']?.example
  if (example === undefined) return null
  const text = JSON.stringify(example)
  return text.length <= MAX_BODY && !/"[^"]{100,}"/.test(text) ? `'${text.replaceAll("'", String.raw`'\''`)}'` : null
}

function bodyParts({ operation }: ShownOperation, body: string | undefined, isAsserted: boolean): string[] {
  if (body === undefined) return []
  const type = Object.keys(operation.requestBody?.content ?? {})[0] ?? 'application/json'
  // What curl says without being told.
  const isForm = type === 'application/x-www-form-urlencoded'
  return [...(isForm ? [] : [`-H 'Content-Type: ${type}'`]), `-d ${isAsserted ? '"$body"' : body}`]
}

/** The path with values for its parameters; null where one cannot be known. */
function pathOf(service: string, { path, operation }: ShownOperation): string | null {
  const value = (name: string) => VALUES[`${service} ${operation.operationId} ${name}`] ?? VALUES[name]
  const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  if (named.some((name) => value(name) === undefined)) return null
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => value(name) ?? '')
  const query = (operation.parameters ?? []).filter(({ in: place, required }) => place === 'query' && required)
  if (query.some(({ name }) => value(name) === undefined)) return null
  return query.length === 0 ? filled : `${filled}?${query.map(({ name }) => `${name}=${value(name)}`).join('&')}`
}

/** In double quotes if the shell would read more than a word of it. */
function quoted(address: string): string {
  return /^[\w:/.$%~-]+$/.test(address) ? address : `"${address}"`
}

/** On one line, or an option on each. */
function wrapped(command: string, parts: readonly string[]): string {
  const line = [command, ...parts].join(' ')
  return line.length <= WRAP ? line : [command, ...parts].join(' \\\n  ')
}
