import type { Client, ContactMessage, InboxMessage } from '@svc/client'
import { useState } from 'preact/hooks'
import { useDraft } from '../drafts/use-draft.ts'
import { SaidError } from '../failures/sentences.ts'
import type { Own } from '../own/own.ts'
import { RootAct } from '../own/root-act.tsx'
import { saveFile } from '../shell/save-file.ts'
import { useTask } from '../shell/task.tsx'
import { TextArea } from '../shell/text-area.tsx'
import { words } from '../words/inbox/words.ts'
import { mailTo } from './letters.ts'

interface ReplyProps {
  readonly own: Own
  readonly message: InboxMessage
  readonly content: ContactMessage
}

/** An answer that only the sender can read, as a file to send by mail: the platform has no address of the sender. */
export function Reply({ own: { core, device, rootLock }, message, content }: ReplyProps) {
  const task = useTask()
  const { text, setText } = useDraft(device, `reply/${message.msgId}`)
  /** What the file has that was downloaded last. */
  const [sealed, setSealed] = useState<string | null>(null)
  const seal = async (root: Client) => {
    if (text.trim() === '') throw new SaidError(words.empty)
    const reply = await root.inbox.reply(message, content, text).catch((error: unknown) => {
      throw error instanceof RangeError ? new SaidError(words.tooLong) : error
    })
    saveFile('reply.json', JSON.stringify(reply))
    setSealed(text)
    task.say(words.sealed)
  }
  return (
    <>
      <p>{words.replyLead}</p>
      <TextArea label={words.replyText} rows={6} value={text} onValue={setText} />
      <RootAct core={core} rootLock={rootLock} action={words.seal} onAct={seal} />
      {sealed !== null && sealed !== text ? <p class="unsaved">{words.sealedBefore}</p> : null}
      {sealed === text ? (
        <p class="note after">
          {words.sendIt} <a href={mailTo(content, words.mailBody)}>{words.byMail}</a>
        </p>
      ) : null}
    </>
  )
}
