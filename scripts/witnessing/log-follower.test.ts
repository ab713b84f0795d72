import { Transport } from '@svc/client'
import { listFingerprint } from '@svc/protocol/merkle/list-fingerprint'
import { keysOf, listSigners, nextListSigners, REALM, signedList } from '@svc/protocol/merkle/rolled-log.fixture'
import { describe, expect, it } from 'vitest'
import { listKeysWith } from './list-keys.ts'
import { statePath } from './witness.fixture.ts'
import { WitnessStore } from './witness-store.ts'

const DIRECTORY = 'https://keys.example'

describe('the state of a followed log', () => {
  it('goes on from the newest one alone, whichever process stores it', () => {
    const path = statePath()
    const [one, other] = [new WitnessStore(path), new WitnessStore(path)]
    expect(one.follow(DIRECTORY, { before: null, state: 'five leaves' })).toBe(true)
    // It had read no state, and follows another history.
    expect(other.follow(DIRECTORY, { before: null, state: 'five others' })).toBe(false)
    expect(other.follow(DIRECTORY, { before: 'five leaves', state: 'nine leaves' })).toBe(true)
    expect(one.follow(DIRECTORY, { before: 'five leaves', state: 'nine others' })).toBe(false)
    expect(one.followed(DIRECTORY)).toBe('nine leaves')
    expect(one.follow('https://keys.other.example', { before: null, state: 'two' })).toBe(true)
  })
})

describe('the keys of a list by their fingerprint', async () => {
  const list = await signedList({ logs: [] })
  const fetch = async () => Response.json({ success: true, data: { list, earlier: [] }, timestamp: 0 })
  const transport = new Transport({ realm: REALM, fetch })
  const keysWith = (fingerprint: string) =>
    listKeysWith({ transport, url: `${DIRECTORY}/api/transparency/logs`, fingerprint })

  it('are those that the directory shows', async () => {
    expect(await keysWith(listFingerprint(keysOf(listSigners)))).toEqual(list.statement.keys)
  })

  it('are none with another fingerprint, or with half of it', async () => {
    for (const wrong of [listFingerprint(keysOf(nextListSigners)), listFingerprint(keysOf(listSigners)).slice(0, 19)])
      await expect(keysWith(wrong)).rejects.toThrow(listFingerprint(keysOf(listSigners)))
  })
})
