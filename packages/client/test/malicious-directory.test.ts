/**
 * What a directory that holds the key of its log can try, and which party finds it: the owner of an account, a contact
 * who reserves a prekey, or a witness. The page on the key directory has the same table.
 */
import { EMPTY_HEAD, foldHead } from '@svc/protocol/keys/account-updates'
import type { SignedCosignature } from '@svc/protocol/keys/cosignature'
import { describe, expect, it } from 'vitest'
import { LogAuditor } from '../src/keys/log-auditor.ts'
import type { Fetch } from '../src/transport/fetch.ts'
import { Transport } from '../src/transport/transport.ts'
import { contactFinds, findings, NOTHING, watchFinds, witnessFinds } from './directory-parties.fixture.ts'
import { cosigned } from './lies/mapped-log.ts'
import { LABEL } from './lies/published.ts'
import { NOW } from './lies/situation.ts'
import { REALM } from './realm.ts'
import {
  clientOf,
  first,
  LIST_KEYS,
  logOf,
  ONE,
  REVOKED,
  revocation,
  second,
  shownBare,
  shownWhole,
  TWO,
  transportTo,
  type View,
} from './shown-directory.fixture.ts'
import { alice, mallory } from './sides.ts'

describe('a directory', () => {
  const whole = logOf([ONE, [ONE]])
  const honest: View = {
    log: whole,
    map: { index: 2, hashes: [ONE] },
    updates: [shownWhole(first)],
    hashes: [ONE],
    resolved: first,
  }
  /** Alice has revoked her package. */
  const revokedLog = logOf([ONE, REVOKED, [ONE, REVOKED]])
  const revoked: View = {
    log: revokedLog,
    map: { index: 3, hashes: [ONE, REVOKED] },
    updates: [shownBare(1, first.credential.statement), shownBare(2, revocation)],
    hashes: [ONE, REVOKED],
    resolved: first,
  }
  const replaced = [shownBare(1, first.credential.statement), shownWhole(second)]
  const all = (view: View) => ({ owner: view, contact: view, witness: view })

  it('that is honest is believed by all', async () => {
    expect(await findings(all(honest), [ONE])).toEqual(NOTHING)
  })

  it('that leaves out a revocation is found by the contact', async () => {
    const hiding = { ...revoked, updates: [shownWhole(first)] }
    expect(await findings({ ...all(revoked), contact: hiding }, [ONE, REVOKED])).toEqual({
      ...NOTHING,
      contact: 'left_out',
    })
  })

  it('that shows one contact a second package is found by that contact', async () => {
    const showing = { ...honest, updates: replaced, resolved: second }
    expect(await findings({ ...all(honest), contact: showing }, [ONE])).toEqual({ ...NOTHING, contact: 'left_out' })
  })

  it('that logs the second package is found by the owner', async () => {
    const logged = { ...honest, log: logOf([ONE, TWO, [ONE, TWO]]), map: { index: 3, hashes: [ONE, TWO] } }
    const view = { ...logged, updates: replaced, hashes: [ONE, TWO], resolved: second }
    expect(await findings(all(view), [ONE])).toEqual({ ...NOTHING, owner: 'not mine' })
  })

  it('that hides from the owner what it has logged is found by the owner', async () => {
    const logged = { ...honest, log: logOf([ONE, TWO, [ONE, TWO]]), map: { index: 3, hashes: [ONE, TWO] } }
    const view = { ...logged, updates: replaced, hashes: [ONE, TWO], resolved: second }
    expect(await findings({ ...all(view), owner: logged }, [ONE])).toEqual({ ...NOTHING, owner: 'left_out' })
  })

  it('that reverts a head is found by the witness, and by the owner', async () => {
    const log = logOf([ONE, REVOKED, [ONE, REVOKED], [ONE]])
    const reverted = { ...honest, log, map: { index: 4, hashes: [ONE] } }
    const view = { ...reverted, hashes: [ONE, REVOKED] }
    expect(await findings(all(view), [ONE, REVOKED])).toEqual({
      owner: 'left_out',
      contact: null,
      witness: 'wrong_map',
    })
    // A contact who trusts the witness waits for it in vain.
    expect(await contactFinds(view, { witnesses: { threshold: 1, publicKeysB64u: [mallory.publicKeyB64u] } })).toBe(
      'not_cosigned',
    )
  })

  it('that shows a contact a false map and takes it back is found by the witness', async () => {
    const log = logOf([ONE, REVOKED, [ONE], [ONE, REVOKED]])
    const shown = { ...honest, log, map: { index: 3, hashes: [ONE] } }
    const taken = { ...revoked, log, map: { index: 4, hashes: [ONE, REVOKED] } }
    expect(await findings({ owner: taken, contact: shown, witness: taken }, [ONE, REVOKED])).toEqual({
      ...NOTHING,
      witness: 'wrong_map',
    })
  })

  it('that forks the log is found by a witness that has seen the other side', async () => {
    const views = { owner: revoked, contact: honest, witness: revoked }
    expect(await findings(views, [ONE, REVOKED])).toEqual(NOTHING)
    const transport = new Transport({ realm: REALM, fetch: await transportTo(revoked), now: () => NOW })
    const { state } = await new LogAuditor(transport, 'https://keys.test', LIST_KEYS).follow(null)
    const longer = { ...honest, log: logOf([ONE, [ONE], TWO, [ONE, TWO]]) }
    expect(await witnessFinds(longer, state)).toBe('fork')
    // What that witness has cosigned is not on the contact's side.
    const cosignature = await cosigned(state.checkpoint, REALM, { verifies: 'log+map' })
    const shown = { ...longer, map: { index: 2, hashes: [ONE] }, cosignatures: [cosignature as SignedCosignature] }
    expect(await contactFinds(shown, { witnesses: { threshold: 1, publicKeysB64u: [mallory.publicKeyB64u] } })).toBe(
      'not_cosigned',
    )
  })

  it('that keeps showing an old map is found by contact and owner', async () => {
    const log = logOf([ONE, [ONE], REVOKED], NOW - 60_001)
    const stale = { ...honest, log, map: { index: 2, hashes: [ONE] } }
    const owner = { ...stale, hashes: [ONE, REVOKED] }
    expect(await findings({ owner, contact: stale, witness: stale }, [ONE, REVOKED])).toEqual({
      owner: 'expired',
      contact: 'expired',
      witness: null,
    })
  })

  it('whose next map is late is waited for', async () => {
    const log = logOf([ONE, [ONE], TWO], NOW - 60_001)
    const late: View = { ...honest, log, map: { index: 2, hashes: [ONE] } }
    const made = { ...honest, log: logOf([ONE, [ONE], TWO, [ONE]], NOW - 60_001), map: { index: 4, hashes: [ONE] } }
    let view = late
    const { transparency } = await clientOf(late, {
      fetch: async (...call: Parameters<Fetch>) => (await transportTo(view))(...call),
      sleep: async () => {
        view = made
      },
    })
    expect(await transparency.follow(alice.did)).toEqual(foldHead(EMPTY_HEAD, [ONE]))
    expect(view).toBe(made)
  })

  it('that keeps an update out of all maps is found by the owner and the witness', async () => {
    const log = logOf([ONE, REVOKED, [ONE]])
    const view = { ...honest, log, map: { index: 3, hashes: [ONE] }, hashes: [ONE, REVOKED] }
    expect(await findings(all(view), [ONE, REVOKED])).toEqual({
      owner: 'left_out',
      contact: null,
      witness: 'wrong_map',
    })
  })

  it('that takes back what it showed an owner is found by the watch, with its signed answer as evidence', async () => {
    const replacing = logOf([ONE, TWO, [ONE, TWO], [ONE]])
    const logged = { ...honest, log: replacing, map: { index: 3, hashes: [ONE, TWO] }, hashes: [ONE, TWO] }
    const taken = { ...logged, map: { index: 4, hashes: [ONE] } }
    const { news, reason, evidence } = await watchFinds(logged, taken)
    expect(news).toEqual([foldHead(EMPTY_HEAD, [ONE, TWO])])
    expect(reason).toBe('left_out')
    expect(evidence).toMatchObject({ label: LABEL, seq: 1, checkpoint: { statement: { size: 5 } } })
  })

  it('that keeps an update out of the log is found by the owner', async () => {
    expect(await findings({ ...all(honest), owner: { ...honest, hashes: [ONE, REVOKED] } }, [ONE, REVOKED])).toEqual({
      ...NOTHING,
      owner: 'left_out',
    })
  })
})
