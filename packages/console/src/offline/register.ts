const SCOPE = '/verify/'
const WORKER = '/verify/offline.js'

interface Policies {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string }
}

/** Keeps the verifier for when there is no network. */
export function keepForOffline(): void {
  if (!location.pathname.startsWith(SCOPE) || !('serviceWorker' in navigator)) return
  // Without it, the next visit needs the network; nothing else changes.
  navigator.serviceWorker.register(trustedUrl(WORKER), { scope: SCOPE }).catch(console.warn)
}

/** Trusted Types allow this one script of the console's own, and no other. */
function trustedUrl(url: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: Policies }
  if (!trustedTypes) return url
  const policy = trustedTypes.createPolicy('console', {
    createScriptURL(asked) {
      if (asked === WORKER) return asked
      throw new TypeError('The console loads no such script')
    },
  })
  return policy.createScriptURL(url)
}
