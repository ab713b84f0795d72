import { checkCall } from '../arguments/check.ts'
import { VerificationError } from './verification-error.ts'

/** The result of a `safe…` twin: the verified value, or why there is none. */
export type Verified<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: VerificationError }

/** Runs anything that verifies, and returns its `VerificationError` instead of throwing it. Other errors are thrown. */
export async function safely<T>(verify: () => T | Promise<T>): Promise<Verified<T>> {
  checkCall('safely', [verify], ['verify'])
  try {
    return { ok: true, value: await verify() }
  } catch (error) {
    if (error instanceof VerificationError) return { ok: false, error }
    throw error
  }
}

type Verifying = (...args: never[]) => unknown

/** The twin of a function that verifies: same parameters, but a `VerificationError` is returned. */
export type Safe<F extends Verifying> = (...args: Parameters<F>) => Promise<Verified<Awaited<ReturnType<F>>>>

/** The twin of a method. */
export function safeTwin<T extends object, K extends keyof T>(
  of: T,
  name: K,
): T[K] extends Verifying ? Safe<T[K]> : never {
  const twin = (...args: unknown[]) => safely(() => (of[name] as (...given: unknown[]) => unknown).apply(of, args))
  return twin as unknown as T[K] extends Verifying ? Safe<T[K]> : never
}
