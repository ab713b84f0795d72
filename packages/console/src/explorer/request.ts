/**
 * A request of the explorer, before it is signed. Pure.
 *
 * @module
 */
import type { Operation, Parameter } from './operations.ts'

export interface Filled {
  readonly values: Readonly<Record<string, string>>
  /** As typed; empty without a body. */
  readonly body: string
}

export interface Prepared {
  readonly method: Operation['method']
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array<ArrayBuffer> | null
}

/** What is of the identity that asks takes the place of examples. */
export function filledOf({ parameters, bodyExample }: Operation, did: string | null): Filled {
  const initial = ({ name, example, isRequired }: Parameter) => {
    if (did !== null && /^(did|orgDid|memberDid|accountDid)$/.test(name)) return isRequired ? did : ''
    return isRequired ? example : ''
  }
  const values = Object.fromEntries(parameters.map((one) => [one.name, initial(one)]))
  if (bodyExample === null) return { values, body: '' }
  return { values, body: typeof bodyExample === 'string' ? bodyExample : JSON.stringify(bodyExample, null, 2) }
}

/** The names of required parameters without a value. */
export function missingOf({ parameters }: Operation, { values }: Filled): readonly string[] {
  return parameters.filter(({ name, isRequired }) => isRequired && !values[name]).map(({ name }) => name)
}

export function prepare(operation: Operation, origin: string, { values, body }: Filled): Prepared {
  const given = (place: Parameter['in']) =>
    operation.parameters.filter(({ name, in: where }) => where === place && values[name])
  const path = given('path').reduce(
    (text, { name }) => text.replace(`{${name}}`, encodeURIComponent(values[name] ?? '')),
    operation.path,
  )
  const url = new URL(path, origin)
  for (const { name } of given('query')) url.searchParams.set(name, values[name] ?? '')
  const hasBody = operation.contentType !== null && body !== ''
  return {
    method: operation.method,
    url: url.href,
    headers: {
      ...Object.fromEntries(given('header').map(({ name }) => [name, values[name] ?? ''])),
      ...(hasBody ? { 'content-type': operation.contentType ?? '' } : {}),
    },
    body: hasBody ? new TextEncoder().encode(body) : null,
  }
}

/** For a POSIX shell. The assertion counts for one request within a minute, so each run makes another. */
export function curlOf({ method, url, headers, body }: Prepared, audience: string | null): string {
  const text = body === null ? '' : new TextDecoder().decode(body)
  const isPlain = method === 'GET' || (method === 'POST' && text !== '')
  const how = isPlain ? [] : [method === 'HEAD' ? '-I' : `-X ${method}`]
  const ofBody = text === '' ? '' : ' "$body"'
  const options = [
    ...how,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(audience === null ? [] : [`-H "$(scripts/assertion ${audience} ${method} "$url"${ofBody})"`]),
    ...(text === '' ? [] : ['--data-binary "$body"']),
  ]
  return [
    `url=${quoted(url)}`,
    ...(text === '' ? [] : [`body=${quoted(text)}`]),
    ['curl -s', ...options, '"$url"'].join(' '),
  ].join('\n')
}

/** The same with the SDK: a transport sends any request of a deployment. */
export function codeOf({ method, url, headers, body }: Prepared, audience: string | null, core: string): string {
  const text = body && new TextDecoder().decode(body)
  const isJson = headers['content-type'] === 'application/json'
  const { 'content-type': _, ...others } = headers
  const members = [
    `method: '${method}'`,
    `url: ${JSON.stringify(url)}`,
    ...(audience === null ? [] : [`audience: '${audience}'`]),
    ...(Object.keys(others).length === 0 ? [] : [`headers: ${JSON.stringify(others)}`]),
    ...(text
      ? [isJson ? `body: ${text.replaceAll('\n', '\n  ')}` : `bytes: new TextEncoder().encode(${JSON.stringify(text)})`]
      : []),
  ]
  return [
    "import { Identity, Transport } from '@svc/client'",
    '',
    ...(audience === null ? [] : ['const identity = await Identity.create()']),
    `const transport = new Transport({ realm: ${JSON.stringify(core)} }${audience === null ? '' : ', identity'})`,
    'const response = await transport.exchange({',
    ...members.map((member) => `  ${member},`),
    '})',
    'console.log(response.status, await response.text())',
  ].join('\n')
}

/** The payload of an assertion, as it was signed; null if it is none. */
export function decoded(assertion: string): unknown {
  const payload = /^ServiceAssertion ([A-Za-z0-9_-]+)\./.exec(assertion)?.[1]
  if (payload === undefined) return null
  return JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))) as unknown
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
