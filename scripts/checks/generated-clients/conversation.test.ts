import { pathToFileURL } from 'node:url'
import { sharedPlatform } from '@svc/platform/shared-platform'
import { expect, it } from 'vitest'
import { consentMessage, jcs, type Members, Person, sha3 } from '../examples/stranger.ts'
import type { Caller, Outcome, Places } from './conversations/caller.ts'
import { generatedClients } from './generate.ts'

type Conversation = { readonly converse: (places: Places, caller: Caller) => Promise<Outcome> }

function callerOf(person: Person): Caller {
  const { did, userId, publicKeyB64u } = person
  return {
    did,
    userId,
    publicKeyB64u,
    hash: (value) => sha3(value instanceof Uint8Array ? value : jcs(value as Members)),
    signed: (value) => ({ ...value, signature: person.sign(jcs(value as Members)) }),
    consent: (message) => person.sign(consentMessage(message as Members)),
    token: (audience, method, url, body) =>
      person.assertion(audience, method, url, Buffer.from(body)).replace('ServiceAssertion ', ''),
  }
}

it('generated clients create an identity, append, read, declare a preference and spend quota', async () => {
  using made = await generatedClients(['core', 'consent', 'pay'])
  for (const client of ['openapi-fetch', 'hey-api']) {
    const { href } = pathToFileURL(`${made.folder}/${client}.ts`)
    const { converse } = (await import(/* @vite-ignore */ href)) as Conversation
    expect(await converse(sharedPlatform().urls, callerOf(new Person())), client).toEqual({
      index: '1',
      payloadB64u: 'aGVsbG8',
      versions: [4, 4],
      preferences: { search: 'allow' },
      tdmReservation: null,
      used: 1,
      refused: [409, 'stale_head'],
    })
  }
})
