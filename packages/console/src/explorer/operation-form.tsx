import { useState } from 'preact/hooks'
import { Button } from '../shell/button.tsx'
import { Field } from '../shell/field.tsx'
import { Form } from '../shell/form.tsx'
import { SaidError } from '../shell/sentences.ts'
import { Heading } from '../sign-in/heading.tsx'
import { words } from '../words/explorer/words.ts'
import { Answered } from './answered.tsx'
import { type Credential, signerOf } from './asserters.ts'
import type { Operation } from './operations.ts'
import { filledOf, missingOf, type Prepared, prepare } from './request.ts'
import { type Answer, send } from './send.ts'

interface OperationFormProps {
  readonly operation: Operation
  readonly origin: string
  readonly core: string
  readonly onBack: () => void
}

export function OperationForm({ operation, origin, core, onBack }: OperationFormProps) {
  const { audience } = operation
  const [credential, setCredential] = useState<Credential>(audience === null ? 'nobody' : 'throw-away')
  const [filled, setFilled] = useState(filledOf(operation, null))
  const [answered, setAnswered] = useState<{ prepared: Prepared; answer: Answer | null } | null>(null)
  const setValue = (name: string, value: string) =>
    setFilled((now) => ({ ...now, values: { ...now.values, [name]: value } }))

  const go = async () => {
    const signer = await signerOf(credential, core)
    // What was not typed is that of the identity that signs.
    const own = filledOf(operation, signer?.did ?? null)
    const example = filledOf(operation, null)
    const values = Object.fromEntries(
      Object.entries(filled.values).map(([name, value]) => [
        name,
        value === example.values[name] ? (own.values[name] ?? value) : value,
      ]),
    )
    const full = { ...filled, values }
    setFilled(full)
    const missing = missingOf(operation, full)
    if (missing.length > 0) throw new SaidError(words.missing(missing.join(', ')))
    const prepared = prepare(operation, origin, full)
    setAnswered({ prepared, answer: null })
    const answer = await send(prepared, audience, signer?.asserter ?? null).catch(() => {
      throw new SaidError(words.unreadable)
    })
    setAnswered({ prepared, answer })
  }
  return (
    <>
      <button type="button" class="quiet" onClick={onBack}>
        {words.back}
      </button>
      <Heading>{operation.summary}</Heading>
      <p>
        <span class="method">{operation.method}</span> <code>{operation.path}</code>
      </p>
      <p class="soft">{credentialText(operation)}</p>
      <details>
        <summary>{words.docs}</summary>
        <p>{operation.description}</p>
      </details>
      <section class="panel">
        <Form onSend={go}>
          {audience === null ? null : <Signing value={credential} onValue={setCredential} />}
          {operation.parameters.map(({ name, description, isRequired }) => (
            <Field
              key={name}
              label={isRequired ? `${name} (${words.required})` : name}
              {...(description === '' ? {} : { hint: description })}
              value={filled.values[name] ?? ''}
              onValue={(value) => setValue(name, value)}
              maxLength={4096}
            />
          ))}
          {operation.contentType === null ? null : (
            <>
              <label for="body">{words.body(operation.contentType)}</label>
              <textarea
                id="body"
                rows={12}
                spellcheck={false}
                value={filled.body}
                onInput={(event) => setFilled((now) => ({ ...now, body: event.currentTarget.value }))}
              />
            </>
          )}
          <Button>{words.send}</Button>
        </Form>
      </section>
      {answered === null ? null : (
        <Answered {...answered} audience={credential === 'nobody' ? null : audience} core={core} />
      )}
    </>
  )
}

const CREDENTIALS: readonly (readonly [Credential, string])[] = [
  ['throw-away', words.throwAway],
  ['own', words.own],
  ['nobody', words.nobody],
]

function Signing({ value, onValue }: { readonly value: Credential; readonly onValue: (value: Credential) => void }) {
  return (
    <div class="field">
      <label for="credential">{words.credential}</label>
      <select
        id="credential"
        value={value}
        aria-describedby="credential-hint"
        onChange={(event) => onValue(event.currentTarget.value as Credential)}
      >
        {CREDENTIALS.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
      <small id="credential-hint">{value === 'throw-away' ? words.throwAwayLead : ''}</small>
    </div>
  )
}

function credentialText({ audience, isOptional, capability }: Operation): string {
  if (audience === null) return words.open
  const forDevices = capability === null ? words.rootOnly : words.device(capability)
  return [words.needs(audience), isOptional ? words.optional : '', forDevices].filter((one) => one !== '').join(' ')
}
