/** Answers that are not in the documented form, to what stands beside the services of a client. */
import { keysOf, listSigners } from '@svc/protocol/merkle/rolled-log.fixture'
import { describe, expect, it } from 'vitest'
import { SignIn } from '../../src/auth/sign-in.ts'
import { readBeacon } from '../../src/beacon/read-beacon.ts'
import { Client } from '../../src/client.ts'
import { discover } from '../../src/discovery/discover.ts'
import { LogAuditor } from '../../src/keys/log-auditor.ts'
import { AnchorAuditor } from '../../src/ledger/anchor-auditor.ts'
import { TrustedLogs } from '../../src/logs/trusted-logs.ts'
import { Operator } from '../../src/operator/operator.ts'
import { operatorKeyOf } from '../../src/operator/operator-key.ts'
import type { Fetch } from '../../src/transport/fetch.ts'
import { Transport } from '../../src/transport/transport.ts'
import { REALM } from '../realm.ts'
import { malformedTexts } from './texts.ts'

const auth = (fetch: Fetch) => new SignIn({ auth: REALM, fetch, retries: false })
const transport = (fetch: Fetch) => new Transport({ realm: REALM, fetch, retries: false })
const listKeys = keysOf(listSigners)
const key = operatorKeyOf(new Uint8Array(32))

const READERS: readonly (readonly [string, (fetch: Fetch) => Promise<unknown>])[] = [
  ['discover', (fetch) => discover({ core: REALM, fetch, retries: false })],
  ['Client.connect', (fetch) => Client.connect({ core: REALM, fetch, retries: false })],
  ['Operator.connect', (fetch) => Operator.connect({ core: REALM, key, fetch, retries: false })],
  ['readBeacon', (fetch) => readBeacon(transport(fetch), REALM, { verifierKeys: [] })],
  ['LogAuditor.follow', (fetch) => new LogAuditor(transport(fetch), REALM, listKeys).follow(null)],
  ['AnchorAuditor.follow', (fetch) => new AnchorAuditor(transport(fetch), REALM, listKeys).follow(null)],
  ['TrustedLogs.newest', (fetch) => new TrustedLogs(transport(fetch), `${REALM}/logs`, { listKeys }).newest()],
  ['SignIn.challenge', (fetch) => auth(fetch).challenge('token', 'login')],
  ['SignIn.setPassword', (fetch) => auth(fetch).setPassword('grant', 'ada', 'a password')],
  ['SignIn.confirmRegistration', (fetch) => auth(fetch).confirmRegistration('grant', '123456')],
  ['SignIn.logIn', (fetch) => auth(fetch).logIn('ada', 'a password')],
  ['SignIn.verifyTicket', (fetch) => auth(fetch).verifyTicket('ticket', 'verifier')],
  ['SignInSession.read', (fetch) => auth(fetch).resume('token').read()],
  ['SignInSession.passkeys', (fetch) => auth(fetch).resume('token').passkeys()],
  ['SignInSession.sessions', (fetch) => auth(fetch).resume('token').sessions()],
  ['SignInSession.knownDevices', (fetch) => auth(fetch).resume('token').knownDevices()],
  ['SignInSession.keptSecret', (fetch) => auth(fetch).resume('token').keptSecret('id')],
  ['SignInSession.grant', (fetch) => auth(fetch).resume('token').grant()],
  ['SignInSession.signOut', (fetch) => auth(fetch).resume('token').signOut()],
]

describe.each(READERS)('%s', (_, read) => {
  it.each(malformedTexts('{"success":true,"data":{"a":1}}'))('refuses $what', async ({ text }) => {
    const fetch = async () => new Response(text)
    await expect(read(fetch)).rejects.toMatchObject({ name: 'VerificationError', reason: 'malformed' })
  })
})

describe('what a sign-in service answers in the place of a message of OPAQUE', () => {
  const answering = (data: object) => async () => Response.json({ success: true, data, timestamp: 0 })
  const malformed = { name: 'VerificationError', subject: 'answer', reason: 'malformed' }

  it('is refused at a login', async () => {
    const fetch = answering({ ceremonyId: 'A'.repeat(32), expiresAt: 1, loginResponse: 'A'.repeat(427) })
    await expect(auth(fetch).logIn('ada', 'a password')).rejects.toMatchObject(malformed)
  })

  it('is refused at a registration', async () => {
    const fetch = answering({ registrationResponse: 'A'.repeat(86) })
    await expect(auth(fetch).setPassword('grant', 'ada', 'a password')).rejects.toMatchObject(malformed)
  })
})
