/** The keychain of the operating system. It keeps the passphrases of key files; the files stay where they are. */
export interface Keychain {
  get(did: string): Promise<string | null>
  set(did: string, passphrase: string): Promise<void>
  delete(did: string): Promise<void>
}

const SERVICE = 'svc'
const PROBE = 'svc-probe'

/** Null where the package is not installed, or no keychain answers: on most servers, and in containers. */
export async function systemKeychain(): Promise<Keychain | null> {
  try {
    const { AsyncEntry } = await import('@napi-rs/keyring')
    const probe = new AsyncEntry(SERVICE, PROBE)
    await probe.setPassword(PROBE)
    const read = await probe.getPassword()
    await probe.deletePassword()
    if (read !== PROBE) return null
    return {
      get: async (did) => (await new AsyncEntry(SERVICE, did).getPassword()) ?? null,
      set: (did, passphrase) => new AsyncEntry(SERVICE, did).setPassword(passphrase),
      delete: async (did) => {
        await new AsyncEntry(SERVICE, did).deletePassword()
      },
    }
  } catch {
    return null
  }
}
