import { SaidError } from '../failures/sentences.ts'
import { words } from '../words/operator/words.ts'

/** Says what it means if a service does not take a signature of the operator. */
export async function signedByOperator<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const isRefused = error instanceof Error && 'error' in error && error.error === 'invalid_signature'
    throw isRefused ? new SaidError(words.refused) : error
  }
}
