import type { Client, InboxMessage } from '#client'
import { visibleLineOf } from '#client/text'
import { usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { asFile } from '../files.ts'
import { argument, type Given, option, type Result } from '../result.ts'

export async function listMessages(context: Context): Promise<Result> {
  const messages = []
  for await (const { msgId, receivedAt, readAt } of (await context.client()).inbox.all())
    messages.push({ msgId, receivedAt, readAt })
  return {
    data: { messages },
    text: messages.map(
      ({ msgId, receivedAt, readAt }) =>
        `${readAt === null ? '*' : ' '} ${msgId}  ${new Date(receivedAt).toISOString()}`,
    ),
  }
}

export async function readMessage(context: Context, given: Given): Promise<Result> {
  const id = argument(given, 0)
  const { inbox } = await context.client()
  const opened = await inbox.open(await messageOf(inbox, id))
  const { name, email, subject, message: text, assetId, sealedWith, sentAt = null } = opened
  const takesReply = opened.replyKeyB64u !== undefined
  if (!context.options.dryRun) await inbox.read(id)
  return {
    data: { name, email, subject, message: text, assetId, sentAt, sealedWith, takesReply },
    text: [
      `From     ${visibleLineOf(name)} <${visibleLineOf(email)}>`,
      `Subject  ${visibleLineOf(subject)}`,
      `About    ${assetId}`,
      ...(sealedWith === 'ml-kem-768' ? ['Sealed   with ML-KEM-768 alone, without X25519'] : []),
      ...(takesReply ? [`Reply    svc inbox reply ${id} --file FILE --out reply.json`] : []),
      '',
      text,
    ],
  }
}

/** The message with this id, as stored. */
export async function messageOf(inbox: Client['inbox'], id: string): Promise<InboxMessage> {
  for await (const message of inbox.all()) if (message.msgId === id) return message
  throw usage(`There is no message ${id}`, 'svc inbox list')
}

export async function deleteMessage(context: Context, given: Given): Promise<Result> {
  const msgId = argument(given, 0)
  if (context.options.dryRun) return { data: { msgId }, text: `Would delete ${msgId}.` }
  await context.confirm(`Delete the message ${msgId} for good?`)
  await (await context.client()).inbox.delete(msgId)
  return { data: { msgId }, text: `${msgId} is deleted.` }
}

export async function exportInbox(context: Context, given: Given): Promise<Result> {
  const exported = await (await context.client()).inbox.export()
  const content = `${JSON.stringify(exported)}\n`
  return asFile(context, option(given, 'out'), content, { messages: exported.messages.length })
}
