import { chunk } from '../failures/chunk.ts'

const SCOPE = '/verify/'

/** Keeps the verifier for when there is no network, once the page has what it needs itself. */
export function keepForOffline(): void {
  if (!location.pathname.startsWith(SCOPE) || !('serviceWorker' in navigator)) return
  if (document.readyState === 'complete') void register()
  else addEventListener('load', () => void register(), { once: true })
}

async function register(): Promise<void> {
  try {
    const { registerWorker } = await chunk(() => import('./register.ts'))
    await registerWorker(SCOPE)
  } catch (error) {
    // Without it, the next visit needs the network; nothing else changes.
    console.warn(error)
  }
}
