/**
 * Generates requests to a documented operation: valid ones, nearly valid ones, and ones that no client would send.
 *
 * @module
 */

import type { Api, Operation, Parameter } from '@svc/platform/documented-api'
import * as fc from 'fast-check'
import { brokenValue, goodValue, oddString, type Resolve } from './values.ts'

const CREDENTIALS = ['none', 'garbled', 'good', 'spent', 'other audience'] as const
export type Credential = (typeof CREDENTIALS)[number]

/** A placeholder for the DID of the sender. */
export const OWN_DID = '{own-did}'
const ORIGINS = [undefined, 'http://localhost:3000', 'https://foreign.example', 'null']
const ODD_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const ODD_TYPES = ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-16', '']
/** Header values are visible ASCII, because Node sends nothing else. */
const headerText = fc.string({ unit: 'grapheme-ascii', maxLength: 80 }).map((text) => text.trim())

export interface FuzzRequest {
  readonly method: string
  /** Path and query, already encoded. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array<ArrayBuffer> | undefined
  readonly credential: Credential
}

export function requestsTo(operation: Operation, api: Api): fc.Arbitrary<FuzzRequest> {
  const resolve: Resolve = (schema) => api.resolve(operation.service, schema)
  const { parameters = [], requestBody } = operation.documented
  const hasBody = requestBody !== undefined
  return fc
    .record({
      method: fc.oneof(
        { weight: 12, arbitrary: fc.constant(operation.method) },
        { weight: 1, arbitrary: fc.constantFrom(...ODD_METHODS) },
      ),
      path: pathsOf(operation, resolve),
      query: queriesOf(parameters, resolve),
      given: headersOf(parameters, resolve),
      token: tokensOf(operation),
      origin: fc.constantFrom(...ORIGINS),
      body: hasBody ? bodiesOf(requestBody.content, resolve) : fc.constant(undefined),
      type: fc.oneof(
        { weight: 9, arbitrary: fc.constant(hasBody ? Object.keys(requestBody.content)[0] : undefined) },
        { weight: 1, arbitrary: fc.constantFrom(...ODD_TYPES) },
      ),
      credential: fc.constantFrom<Credential>('good', 'good', 'good', ...CREDENTIALS),
    })
    .map(({ method, path, query, given, token, origin, body, type, credential }) => ({
      method,
      path: path + query,
      body: method === 'GET' || method === 'HEAD' ? undefined : body,
      credential,
      headers: {
        ...given,
        ...token,
        ...(origin === undefined ? {} : { origin }),
        ...(body === undefined || !type ? {} : { 'content-type': type }),
      },
    }))
}

function pathsOf({ template, documented }: Operation, resolve: Resolve): fc.Arbitrary<string> {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const values = names.map((name) => {
    const parameter = documented.parameters?.find((candidate) => candidate.in === 'path' && candidate.name === name)
    const good = goodValue(parameter?.schema ?? { type: 'string' }, resolve).map(String)
    return fc.oneof({ weight: 4, arbitrary: good }, fc.constant(OWN_DID), oddString())
  })
  return fc.tuple(...values).map((chosen) => {
    let at = 0
    return template.replaceAll(/\{\w+\}/g, () => {
      const value = chosen[at++] ?? ''
      return value === OWN_DID ? value : encoded(value)
    })
  })
}

function queriesOf(parameters: readonly Parameter[], resolve: Resolve): fc.Arbitrary<string> {
  const known = parameters.filter((parameter) => parameter.in === 'query')
  const pairs = known.map(({ name, schema }) =>
    fc
      .option(fc.oneof({ weight: 3, arbitrary: goodValue(schema, resolve).map(textOf) }, oddString()), {
        nil: undefined,
      })
      .map((value) => (value === undefined ? [] : [`${name}=${encoded(value)}`])),
  )
  const stray = fc.oneof(
    { weight: 8, arbitrary: fc.constant<string[]>([]) },
    oddString().map((value) => [`stray=${encoded(value)}`]),
  )
  return fc.tuple(...pairs, stray).map((parts) => {
    const query = parts.flat().join('&')
    return query === '' ? '' : `?${query}`
  })
}

function headersOf(parameters: readonly Parameter[], resolve: Resolve): fc.Arbitrary<Record<string, string>> {
  const known = parameters.filter((parameter) => parameter.in === 'header')
  const values = Object.fromEntries(
    known.map(({ name, schema }) => [
      name,
      fc.oneof(
        goodValue(schema, resolve).map((value) => textOf(value).replaceAll(/[^\u0021-\u007e]/g, '')),
        headerText,
      ),
    ]),
  )
  return fc.record(values, { requiredKeys: [] }) as fc.Arbitrary<Record<string, string>>
}

/** Tokens that are not assertions: well-formed ones that nobody was issued, and malformed ones. */
function tokensOf({ documented }: Operation): fc.Arbitrary<Record<string, string>> {
  const schemes = (documented.security ?? []).flatMap((requirement) => Object.keys(requirement))
  const header = TOKEN_HEADERS[schemes.find((scheme) => scheme in TOKEN_HEADERS) ?? '']
  if (header === undefined) return fc.constant({})
  return fc
    .option(fc.oneof(fc.constant('A'.repeat(43)), headerText), { nil: undefined })
    .map((value): Record<string, string> => (value === undefined ? {} : { [header]: value }))
}

const TOKEN_HEADERS: Readonly<Record<string, string>> = {
  PairingToken: 'x-pairing-token',
  OfferToken: 'x-offer-token',
  WatchToken: 'x-watch-token',
  SignInSession: 'x-sign-in-session',
  ConsentSignature: 'x-svc-signature',
}

function bodiesOf(
  content: Readonly<Record<string, { readonly schema?: { readonly [keyword: string]: unknown } }>>,
  resolve: Resolve,
): fc.Arbitrary<Uint8Array<ArrayBuffer>> {
  const [[type, { schema = {} }] = ['', {}]] = Object.entries(content)
  const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => new Uint8Array(array))
  if (!type.includes('json')) return bytes
  return fc.oneof(
    { weight: 4, arbitrary: goodValue(schema, resolve).map(jsonBytes) },
    { weight: 5, arbitrary: brokenValue(schema, resolve).map(jsonBytes) },
    { weight: 1, arbitrary: fc.oneof(bytes, fc.constantFrom('', '{', '{"a":1,"a":2}', '[['.repeat(2_000)).map(utf8)) },
  )
}

const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)
const jsonBytes = (value: unknown) => utf8(JSON.stringify(value) ?? 'null')
const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

/** Percent-encodes, except lone surrogates, which cannot be encoded. Existing escapes stay, so that decoders see them. */
function encoded(value: string): string {
  if (/^%[0-9a-f]{2}/i.test(value)) return value
  return encodeURIComponent(value.toWellFormed())
}
