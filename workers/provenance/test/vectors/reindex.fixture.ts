import { mlDsa65 } from '@svc/pqc'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { signStatement } from '@svc/protocol/base/statement'
import { type Exchange, Prober } from '@svc/service/testing'
import { REALM } from '@svc/testing'
import { service } from '../../src/app.ts'
import { BASE, send, sendWith } from '../harness.ts'

const OPERATOR_SEED = new Uint8Array(32).fill(7)

export function reindexAct(members: Record<string, unknown> = {}, seed = OPERATOR_SEED) {
  const statement = {
    type: 'svc/operator-reindex/v1' as const,
    realm: REALM,
    service: 'provenance',
    index: 'text',
    after: 0,
    nonce: encodeBase64url(crypto.getRandomValues(new Uint8Array(16))),
    issuedAt: Date.now(),
    ...members,
  }
  return signStatement(statement, (message) => mlDsa65.sign(seed, message))
}

export function act(signed: unknown, replaced?: object, path = '/api/operator/acts'): Promise<Exchange> {
  const prober = new Prober({ service, base: BASE, send: replaced ? sendWith(replaced) : send })
  return prober.send({ method: 'POST', path, body: JSON.stringify(signed) })
}
