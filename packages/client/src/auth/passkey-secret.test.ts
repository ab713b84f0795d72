import type { LocallyWrapped } from '@svc/protocol/auth/local-wrap'
import { describe, expect, it } from 'vitest'
import { keepSecret, readSecret } from './passkey-secret.ts'
import type { SignInSession } from './session.ts'

/** What the service keeps, by passkey. */
function keeping() {
  const kept = new Map<string, string>()
  const session = {
    keepSecret: async (id: string, wrapped: LocallyWrapped) => {
      kept.set(id, JSON.stringify(wrapped))
    },
    keptSecret: async (id: string) => JSON.parse(kept.get(id) ?? 'null') as LocallyWrapped | null,
  } as SignInSession
  return { kept, session }
}
const key = () => crypto.getRandomValues(new Uint8Array(32))
const secret = new TextEncoder().encode('a secret')

describe('a secret that is kept with a passkey', () => {
  it('is opened by another device with the same passkey, and is not sent in clear', async () => {
    const { kept, session } = keeping()
    const exportKey = key()
    await keepSecret({ session, passkeyId: 'AAAA', exportKey }, 'app', secret)
    expect(kept.get('AAAA')).not.toContain('a secret')
    const onNewDevice = { session, passkeyId: 'AAAA', exportKey: exportKey.slice() }
    expect(await readSecret(onNewDevice, 'app')).toEqual(secret)
    await expect(readSecret(onNewDevice, 'other')).rejects.toThrow('another application')
    await expect(readSecret({ ...onNewDevice, exportKey: key() }, 'app')).rejects.toThrow()
  })

  it('is null where nothing is kept, or without PRF, which keeps nothing', async () => {
    const { kept, session } = keeping()
    expect(await readSecret({ session, passkeyId: 'AAAA', exportKey: key() }, 'app')).toBeNull()
    expect(await readSecret({ session, passkeyId: 'AAAA', exportKey: null }, 'app')).toBeNull()
    await expect(keepSecret({ session, passkeyId: 'AAAA', exportKey: null }, 'app', secret)).rejects.toThrow('no PRF')
    expect(kept.size).toBe(0)
  })
})
