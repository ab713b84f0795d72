import type { Client } from '@svc/client'
import { Exact } from '../content/exact.tsx'
import { SaidError } from '../failures/sentences.ts'
import { Button } from '../shell/button.tsx'
import { Confirmed } from '../shell/confirmed.tsx'
import { momentOf } from '../shell/dates.ts'
import { useTask } from '../shell/task.tsx'
import { words } from '../words/consent/words.ts'
import { changesOf, type Declaration, type Preferences, standingOf } from './declaration.ts'
import { PreferenceForm } from './preference-form.tsx'
import { declaredText } from './text.ts'

export interface EditingProps {
  readonly client: Client
  readonly did: string
  readonly identifier: string
  readonly declaration: Declaration
  readonly onChange: () => void
}

/** How the content stands for this identity, and what it can do about it. */
export function Editing({ client: { consent }, did, identifier, declaration, onChange }: EditingProps) {
  const task = useTask()
  const { answer, history } = declaration
  const standing = standingOf(declaration, did)
  const claim = history?.claims.find(({ creator_did: claimant }) => claimant === did)
  const isMine = standing === 'mine' && answer.found
  const before = isMine ? answer.preferences : (claim?.preferences ?? {})

  const after = (sentence: string) => {
    onChange()
    task.say(sentence)
  }
  const save = async (chosen: Preferences) => {
    const changes = changesOf(isMine ? before : {}, chosen)
    if (Object.keys(changes).length === 0) throw new SaidError(isMine ? words.unchanged : words.chooseOne)
    if (isMine) await consent.update(identifier, changes)
    else if (!(await published(changes))) return after(words.savedClaim)
    after(words.saved)
  }
  /** False if it was kept as a claim. */
  const published = async (preferences: Preferences): Promise<boolean> => {
    try {
      await consent.publish(identifier, preferences)
      return true
    } catch (error) {
      if (!isHeld(error)) throw error
      if (error.details['claimed'] !== true) throw new SaidError(words.notKept)
      return false
    }
  }
  const revoke = async () => {
    await consent.revoke(identifier)
    after(words.revoked)
  }
  const withdraw = async () => {
    await consent.withdrawClaim(identifier)
    after(words.withdrawn)
  }

  return (
    <>
      <Exact class="identifier">{identifier}</Exact>
      {answer.found ? null : <p>{words.nothing}</p>}
      {isMine ? <p>{words.byYou(answer.version, momentOf(answer.updated_at))}</p> : null}
      {standing === 'theirs' && history ? (
        <>
          <p>
            {words.byOther} <Exact>{history.creatorDid}</Exact>
          </p>
          {answer.found ? <p>{words.theirs(declaredText(answer.preferences))}</p> : null}
          <p class="note">{words.claimLead}</p>
        </>
      ) : null}
      {standing === 'nobodys' ? <p>{words.byNobody}</p> : null}
      {standing === 'nobodys' ? null : <PreferenceForm before={before} isMine={isMine} onSave={save} />}
      {isMine ? (
        <Confirmed action={words.revoke} title={words.revokeTitle} look="quiet" onConfirm={revoke}>
          <p>{words.revokeText}</p>
        </Confirmed>
      ) : null}
      {claim ? (
        <>
          <p>{words.claimed}</p>
          <Button look="quiet" onPress={withdraw}>
            {words.withdraw}
          </Button>
        </>
      ) : null}
    </>
  )
}

interface Held extends Error {
  readonly details: Readonly<Record<string, unknown>>
}

function isHeld(error: unknown): error is Held {
  return error instanceof Error && 'error' in error && error.error === 'consent_held'
}
