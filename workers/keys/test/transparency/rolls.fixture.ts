import { env } from 'cloudflare:workers'
import { mlDsa65 } from '@svc/client/functions'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { signStatement } from '@svc/protocol/base/statement'
import { logKeySeed } from '@svc/protocol/merkle/log-key'
import type { ListedLog } from '@svc/protocol/merkle/log-list'
import { openedLog } from '@svc/protocol/merkle/log-list-signing'
import { putNextList, REALM } from '@svc/testing'
import { vi } from 'vitest'
import { call } from '../harness.ts'
import { LOG } from './log.fixture.ts'

const OPERATOR_SEED = new Uint8Array(32).fill(7)
const LOG_SEED = new Uint8Array(32).fill(0x11)
export const NEXT = `${REALM}/transparency/2027b`

/** An act that rolls the log, as the operator sends it. */
export async function roll({ log = LOG, next = NEXT, keyVersion = 1, replaced = {} } = {}) {
  const nonce = encodeBase64url(crypto.getRandomValues(new Uint8Array(16)))
  const members = { service: 'keys', log, next: { log: next, keyVersion }, nonce, issuedAt: Date.now() }
  const body = await signStatement({ type: 'svc/operator-roll-log/v1', realm: REALM, ...members }, (message) =>
    mlDsa65.sign(OPERATOR_SEED, message),
  )
  return call(null, 'POST', '/api/operator/acts', { body, replaced })
}

/** A log as a list announces it. */
export async function announced(log = NEXT, { seed = LOG_SEED, keyVersion = 1 } = {}): Promise<ListedLog> {
  const key = await mlDsa65.publicKeyOf(logKeySeed(seed, keyVersion, log))
  const opened = openedLog({ log, series: 'transparency', publicKeyB64u: encodeBase64url(key) }, Date.now())
  return { ...opened, state: 'announced' }
}

/** Publishes the next list, and waits until the Worker reads it. */
export async function publishList(change: Parameters<typeof putNextList>[1]): Promise<void> {
  await putNextList(env.TILES, change)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 })
}
