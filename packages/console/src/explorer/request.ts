/**
 * A request of the explorer, before it is signed. Pure.
 *
 * @module
 */
import type { Operation, Parameter } from './operations.ts'
import type { Scheme } from './schemes.ts'

export interface Filled {
  readonly values: Readonly<Record<string, string>>
  /** As typed; empty without a body. */
  readonly body: string
  /** Credentials as typed, by the name of their header or parameter. */
  readonly credentials: Readonly<Record<string, string>>
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
  const credentials = {}
  if (bodyExample === null) return { values, body: '', credentials }
  return {
    values,
    credentials,
    body: typeof bodyExample === 'string' ? bodyExample : JSON.stringify(bodyExample, null, 2),
  }
}

/** The names of what is required and has no value. */
export function missingOf({ parameters, schemes }: Operation, { values, credentials }: Filled): readonly string[] {
  return [
    ...parameters.filter(({ name, isRequired }) => isRequired && !values[name]).map(({ name }) => name),
    ...schemes.filter(({ name, isRequired }) => isRequired && !credentials[name]).map(({ name }) => name),
  ]
}

/** With a placeholder for each secret, for texts that people copy. */
export function withoutSecrets({ schemes }: Operation, filled: Filled): Filled {
  const shown = ({ id, name, isSecret }: Scheme): [name: string, shown: string] => {
    const typed = filled.credentials[name] ?? ''
    return [
      name,
      isSecret && typed !== '' ? `YOUR${id.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}` : typed,
    ]
  }
  return { ...filled, credentials: Object.fromEntries(schemes.map(shown)) }
}

export function prepare(operation: Operation, origin: string, { values, body, credentials }: Filled): Prepared {
  const given = (place: Parameter['in']) =>
    operation.parameters.filter(({ name, in: where }) => where === place && values[name])
  const path = given('path').reduce(
    (text, { name }) => text.replace(`{${name}}`, encodeURIComponent(values[name] ?? '')),
    operation.path,
  )
  const url = new URL(path, origin)
  for (const { name } of given('query')) url.searchParams.set(name, values[name] ?? '')
  const held = operation.schemes.filter(({ name }) => credentials[name])
  for (const { name } of held.filter((one) => one.in === 'query')) url.searchParams.set(name, credentials[name] ?? '')
  const hasBody = operation.contentType !== null && body !== ''
  return {
    method: operation.method,
    url: url.href,
    headers: {
      ...Object.fromEntries(given('header').map(({ name }) => [name, values[name] ?? ''])),
      ...Object.fromEntries(
        held.filter((one) => one.in === 'header').map(({ name }) => [name, credentials[name] ?? '']),
      ),
      ...(hasBody ? { 'content-type': operation.contentType ?? '' } : {}),
    },
    body: hasBody ? new TextEncoder().encode(body) : null,
  }
}

/** The payload of an assertion, as it was signed; null if it is none. */
export function decoded(assertion: string): unknown {
  const payload = /^ServiceAssertion ([A-Za-z0-9_-]+)\./.exec(assertion)?.[1]
  if (payload === undefined) return null
  return JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))) as unknown
}
