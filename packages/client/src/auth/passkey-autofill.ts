/**
 * Passkeys in the autofill of an input (WebAuthn level 3, section 5.1.4, conditional mediation). The offer lasts as long
 * as the page is open, which is longer than a challenge is valid.
 *
 * @module
 */
import { startAuthentication, WebAuthnAbortService } from '@simplewebauthn/browser'
import { LOGIN_LIFETIME_MS } from '#protocol/auth/sign-in'

type OptionsJson = Parameters<typeof startAuthentication>[0]['optionsJSON']
type Response = Awaited<ReturnType<typeof startAuthentication>>

export interface Challenge {
  readonly ceremonyId: string
  readonly optionsJSON: OptionsJson
}

/** A challenge is replaced while there is still time to verify the person and send the result. */
const OFFERED_MS = LOGIN_LIFETIME_MS - 20_000

/**
 * What the person picked, and its challenge. `begin` is called again whenever a challenge gets old, but not while the
 * page is hidden. Rejects with an `AbortError` if `signal` is aborted or another prompt replaces it.
 */
export async function offerPasskeys(
  begin: () => Promise<Challenge>,
  signal?: AbortSignal,
): Promise<{ readonly ceremonyId: string; readonly response: Response }> {
  for (;;) {
    await untilSeen(signal)
    const { ceremonyId, optionsJSON } = await begin()
    signal?.throwIfAborted()
    const cancel = () => WebAuthnAbortService.cancelCeremony()
    let isOld = false
    const timer = setTimeout(() => {
      isOld = true
      cancel()
    }, OFFERED_MS)
    signal?.addEventListener('abort', cancel, { once: true })
    try {
      return { ceremonyId, response: await startAuthentication({ optionsJSON, useBrowserAutofill: true }) }
    } catch (error) {
      if (!isOld || signal?.aborted) throw error
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', cancel)
    }
  }
}

/** The part of a browser’s `document` that is used; the SDK also compiles without a DOM. */
interface Page extends EventTarget {
  readonly visibilityState: string
}

async function untilSeen(signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  const { document } = globalThis as unknown as { readonly document: Page }
  if (document.visibilityState === 'visible') return
  await new Promise<void>((resolve, reject) => {
    document.addEventListener('visibilitychange', () => resolve(), { once: true })
    signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
}
