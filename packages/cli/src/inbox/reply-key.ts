import type { Client, OpenContact, ReplyKey } from '#client'
import type { Secret } from '#client/text'
import { invalid } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { mustBeNew } from '../files.ts'
import { SealedFile } from '../keys/sealed-file.ts'
import { type Given, option } from '../result.ts'
import { textIn } from '../texts.ts'

/** Where the key that opens a reply will be, and what encrypts it there. */
export interface ReplyKeyPlace {
  readonly path: string
  readonly passphrase: Secret
}

/** Asked for before a code is sent. Null without `--reply-key`. */
export async function replyKeyPlace(context: Context, given: Given): Promise<ReplyKeyPlace | null> {
  const named = option(given, 'replyKey')
  if (named === undefined) return null
  const path = context.pathOf(named)
  await mustBeNew(path)
  return { path, passphrase: await context.passphrases.chosen('the key of the reply') }
}

/** Written before the message is: a message whose reply nobody can open must not exist. Returns the public key. */
export async function writeReplyKey(
  { contact }: Client,
  opened: OpenContact,
  { path, passphrase }: ReplyKeyPlace,
): Promise<string> {
  const key = await contact.replyKey(opened)
  await new SealedFile(path).save(key, passphrase)
  return key.publicKeyB64u
}

/** From a file of `svc inbox send`, or one with the private link of a form. */
export async function readReplyKey(context: Context, file: string): Promise<ReplyKey> {
  const bytes = await context.read(file)
  const [{ isAgeFile }, { replyKeyOf, replyKeySchema }] = await Promise.all([
    import('#client/evidence'),
    import('#client/functions'),
  ])
  if (!isAgeFile(bytes)) {
    const linked = await replyKeyOf(textIn(file, bytes))
    if (linked) return linked
  } else {
    const opened = await new SealedFile(context.pathOf(file)).load(await context.passphrases.existing(file))
    const parsed = replyKeySchema.safeParse(opened)
    if (parsed.success) return parsed.data
  }
  throw invalid(
    'malformed',
    `${file} has no key of a reply`,
    'pass the file of svc inbox send --reply-key, or one with the private link',
  )
}
