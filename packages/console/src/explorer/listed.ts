/**
 * What the list of operations shows of each. Made when the console is built: the documents have megabytes, which a phone
 * needs a second for. Pure.
 *
 * @module
 */
import { isRecord, list, type Raw, record, text } from './document.ts'

const METHODS = ['get', 'head', 'post', 'put', 'delete'] as const

export interface Listed {
  readonly id: string
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly tag: string
  readonly summary: string
}

/** Every operation of a document, and what the document says of it. */
export function listedOf(document: unknown): readonly (readonly [listed: Listed, raw: Raw])[] {
  const paths = record(record(document)['paths'])
  return Object.entries(paths).flatMap(([path, methods]) =>
    METHODS.flatMap((method) => {
      const raw = record(methods)[method]
      return isRecord(raw) ? [[listed(path, method, raw), raw] as const] : []
    }),
  )
}

const listed = (path: string, method: (typeof METHODS)[number], raw: Raw): Listed => ({
  id: text(raw['operationId']),
  method: method.toUpperCase() as Listed['method'],
  path,
  tag: text(list(raw['tags'])[0]),
  summary: text(raw['summary']),
})
