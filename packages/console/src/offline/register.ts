import { ownScript } from '../shell/scripts.ts'

const SCOPE = '/verify/'

/** Keeps the verifier for when there is no network, once the page has what it needs itself. */
export function keepForOffline(): void {
  if (!location.pathname.startsWith(SCOPE) || !('serviceWorker' in navigator)) return
  if (document.readyState === 'complete') register()
  else addEventListener('load', register, { once: true })
}

function register(): void {
  // Without it, the next visit needs the network; nothing else changes.
  navigator.serviceWorker.register(ownScript(`${SCOPE}offline.js`), { scope: SCOPE }).catch(console.warn)
}
