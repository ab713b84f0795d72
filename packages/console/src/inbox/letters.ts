import type { Client, ContactMessage, InboxMessage, OpenedMessage } from '@svc/client'

/** A message as this page shows it. */
export interface Letter {
  readonly message: InboxMessage
  /** Undefined until it is decrypted; null if the root key here cannot open it. */
  readonly content?: OpenedMessage | null
}

export interface Letters {
  /** Newest first. */
  readonly letters: readonly Letter[]
  readonly next: string | null
  readonly total: number
}

const PAGE = 20

/** Another page of the inbox, after those that are here. What was decrypted before stays so. */
export async function readLetters(client: Client, after: Letters | null): Promise<Letters> {
  const options = { limit: PAGE, ...(after?.next && { cursor: after.next }) }
  const { messages, next, total } = await client.inbox.list(options)
  const letters = messages.map((message) => ({ message }))
  return { letters: [...(after?.letters ?? []), ...letters], next, total }
}

/** Decrypts what is still encrypted, with a client of the root key. */
export async function openLetters(root: Client, { letters, ...rest }: Letters): Promise<Letters> {
  const opened = await Promise.all(
    letters.map(async ({ message, content }) => {
      if (content) return { message, content }
      const answer = await root.inbox.safeOpen(message)
      return { message, content: answer.ok ? answer.value : null }
    }),
  )
  return { ...rest, letters: opened }
}

/** With a message as it is now, or without it. */
export function withLetter(now: Letters, msgId: string, letter: Letter | null): Letters {
  if (letter) return { ...now, letters: now.letters.map((one) => (one.message.msgId === msgId ? letter : one)) }
  const letters = now.letters.filter(({ message }) => message.msgId !== msgId)
  return { ...now, letters, total: Math.max(0, now.total - 1) }
}

/** Opens the mail program, with the subject of the answer. */
export function mailTo({ email, subject }: Pick<ContactMessage, 'email' | 'subject'>, body = ''): string {
  const query = [
    `subject=${encodeURIComponent(`Re: ${subject}`)}`,
    ...(body === '' ? [] : [`body=${encodeURIComponent(body)}`]),
  ]
  return `mailto:${encodeURIComponent(email).replaceAll('%40', '@')}?${query.join('&')}`
}
