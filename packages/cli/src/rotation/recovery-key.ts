import type { Identity, KeptRecovery } from '@svc/client'
import { locked, usage } from '../cli-error.ts'
import type { Context } from '../context.ts'

/** The recovery key in a file: encrypted, or the words or the code that are on paper. `-` is standard input. */
export async function recoveryKeyIn(context: Context, file: string, kept: KeptRecovery): Promise<Identity> {
  const text = new TextDecoder().decode(await context.read(file))
  const identity = text.trimStart().startsWith('{') ? await encrypted(context, file, text) : await written(text, kept)
  if (identity?.publicKeyB64u === kept.newPublicKeyB64u) return identity
  throw locked(
    'key_missing',
    `${file} does not have the recovery key`,
    'pass what svc recovery prepare or the console gave',
  )
}

async function encrypted(context: Context, file: string, text: string): Promise<Identity | null> {
  const { importKeys } = await import('@svc/client/backup')
  return (await importKeys(jsonOf(text), await context.passphrases.existing(file))).identity
}

async function written(text: string, kept: KeptRecovery): Promise<Identity> {
  const { identityOfSheet } = await import('@svc/client/recovery-words')
  return identityOfSheet(text, kept).catch((error: unknown) => {
    // Its message has no word of the key.
    if (error instanceof Error && error.name === 'RecoveryWordsError')
      throw usage(error.message, 'compare it with the paper, word by word')
    throw error
  })
}

/** The requests that were signed in advance: in a file of the console, or among the keys here. */
export async function requestsIn(context: Context, file: string): Promise<KeptRecovery> {
  const { keptRecoverySchema } = await import('@svc/client/functions')
  const { data } = keptRecoverySchema.safeParse(await context.readJson(file))
  if (data) return data
  throw usage(`${file} has no requests of a recovery`, 'pass the recovery file that the console saved')
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
