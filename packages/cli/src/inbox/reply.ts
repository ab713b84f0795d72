import { usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { asFile } from '../files.ts'
import { argument, type Given, option, type Result } from '../result.ts'
import { messageOf } from './inbox.ts'
import { readReplyKey } from './reply-key.ts'

/** The owner’s side. Nothing is sent: the sealed reply is a file, because the platform does not know the sender’s address. */
export async function reply(context: Context, given: Given): Promise<Result> {
  const file = option(given, 'file')
  if (file === undefined) throw usage('--file is missing', 'pass the answer with --file FILE; - is standard input')
  const text = await context.readText(file)
  const { inbox } = await context.client()
  const message = await messageOf(inbox, argument(given, 0))
  const opened = await inbox.open(message)
  const to = opened.email
  if (opened.replyKeyB64u === undefined)
    throw usage('The message carries no key for a sealed reply', `answer by mail, to ${to}`)
  const sealed = await inbox.reply(message, opened, text).catch((error: unknown) => {
    throw error instanceof RangeError ? usage('The answer is too long to be sealed', 'shorten it') : error
  })
  const { requestId } = message
  const out = option(given, 'out')
  const written = await asFile(context, out, `${JSON.stringify(sealed)}\n`, { to, requestId })
  return out === undefined ? written : { ...written, text: [String(written.text), `Next: send it to ${to}`] }
}

/** The sender’s side. Needs no identity. */
export async function openReply(context: Context, given: Given): Promise<Result> {
  const name = argument(given, 0)
  const from = option(given, 'replyKey')
  if (from === undefined)
    throw usage('--reply-key is missing', 'pass the file of svc inbox send --reply-key, or one with the private link')
  const sealed = await context.readJson(name)
  const key = await readReplyKey(context, from)
  if (context.options.dryRun) return { data: { owner: key.owner }, text: `Would open ${name}.` }
  const { owner, requestId, assetId } = key
  const { text, issuedAt } = await (await context.client('nobody')).contact.openReply(sealed, key)
  return {
    data: { owner, requestId, assetId, text, issuedAt },
    text: [`From     ${owner}`, `Signed   ${new Date(issuedAt).toISOString()}`, `About    ${assetId}`, '', text],
  }
}
