/**
 * The credentials that an operation takes besides an assertion, as its document names them. Pure.
 *
 * @module
 */
import { isRecord, list, record, text } from './document.ts'

/** What signs requests: the explorer makes it, so it has no field. */
const ASSERTION = 'ServiceAssertion'

export interface Scheme {
  /** `PairingToken`. */
  readonly id: string
  readonly in: 'header' | 'query'
  /** Of the header or the parameter: `X-Pairing-Token`. */
  readonly name: string
  readonly description: string
  /** False if the operation also takes another credential, or none. */
  readonly isRequired: boolean
  /** Anyone who has it can use it. A signature is valid for one statement only, and is published with it. */
  readonly isSecret: boolean
}

/** `security` is that of the operation: alternatives, each with the schemes that it needs together. */
export function schemesOf(document: unknown, security: readonly unknown[]): readonly Scheme[] {
  const described = record(record(record(document)['components'])['securitySchemes'])
  const alternatives = security.filter(isRecord).map((one) => Object.keys(one))
  const ids = new Set(alternatives.flat().filter((id) => id !== ASSERTION))
  return [...ids].flatMap((id) => {
    const scheme = record(described[id])
    if (scheme['type'] !== 'apiKey' || !list(['header', 'query']).includes(scheme['in'])) return []
    return {
      id,
      in: scheme['in'] === 'query' ? 'query' : 'header',
      name: text(scheme['name']),
      description: text(scheme['description']),
      isRequired: alternatives.every((one) => one.includes(id)),
      isSecret: !id.endsWith('Signature'),
    }
  })
}
