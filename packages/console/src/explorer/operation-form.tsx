import { useState } from 'preact/hooks'
import { Exact } from '../content/exact.tsx'
import { SaidError } from '../failures/sentences.ts'
import { Button } from '../shell/button.tsx'
import { Field } from '../shell/field.tsx'
import { Form } from '../shell/form.tsx'
import { Heading } from '../sign-in/heading.tsx'
import { words } from '../words/explorer/words.ts'
import type { Answer } from './answer.ts'
import { Answered } from './answered.tsx'
import { type Credential, signerOf } from './asserters.ts'
import { chosenCredential, rememberCredential } from './chosen-credential.ts'
import { CredentialField } from './credential-field.tsx'
import { credentialText } from './credential-text.ts'
import { isOfSigner, type Obtainable, type Obtaining, obtain } from './obtain.ts'
import { OwnKey } from './own-key.tsx'
import { filledOf, missingOf, type Prepared, prepare, withoutSecrets } from './request.ts'
import type { Scheme } from './schemes.ts'
import { send } from './send.ts'
import { Signing } from './signing.tsx'

interface OperationFormProps extends Pick<Obtaining, 'operation' | 'operations' | 'origin' | 'services'> {
  readonly onBack: () => void
}

export function OperationForm({ operation, operations, origin, services, onBack }: OperationFormProps) {
  const { audience, schemes } = operation
  const hasSigner = audience !== null || schemes.some(({ id }) => isOfSigner(id))
  const [credential, setCredential] = useState<Credential>(hasSigner ? (chosenCredential() ?? 'throw-away') : 'nobody')
  const choose = (chosen: Credential) => {
    rememberCredential(chosen)
    setCredential(chosen)
  }
  const [filled, setFilled] = useState(filledOf(operation, null))
  const [answered, setAnswered] = useState<{ prepared: Prepared; answer: Answer | null } | null>(null)
  const setValue = (name: string, value: string) =>
    setFilled((now) => ({ ...now, values: { ...now.values, [name]: value } }))
  const setCredentialOf = ({ name }: Scheme, value: string) =>
    setFilled((now) => ({ ...now, credentials: { ...now.credentials, [name]: value } }))

  const get = async (id: Obtainable, scheme: Scheme) => {
    const signer = isOfSigner(id) ? await signerOf(credential, services.core) : null
    const {
      values,
      body,
      credential: got,
    } = await obtain(id, { operation, operations, filled, origin, services, signer })
    setFilled((now) => ({ ...now, values: { ...now.values, ...values }, body: body ?? now.body }))
    setCredentialOf(scheme, got)
  }
  const go = async () => {
    const signer = await signerOf(credential, services.core)
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
    const shown = prepare(operation, origin, withoutSecrets(operation, full))
    setAnswered({ prepared: shown, answer: null })
    const answer = await send(prepared, audience, signer?.asserter ?? null).catch(() => {
      throw new SaidError(words.unreadable)
    })
    setAnswered({ prepared: shown, answer })
  }
  return (
    <>
      <button type="button" class="quiet" onClick={onBack}>
        {words.back}
      </button>
      <Heading>{operation.summary}</Heading>
      <p>
        <span class="method">{operation.method}</span> <Exact>{operation.path}</Exact>
      </p>
      <p class="soft">{credentialText(operation)}</p>
      <details>
        <summary>{words.docs}</summary>
        <p>{operation.description}</p>
      </details>
      <section class="panel">
        {hasSigner ? <Signing value={credential} onValue={choose} /> : null}
        {credential === 'own' ? <OwnKey /> : null}
        <Form onSend={go}>
          {schemes.map((scheme) => (
            <CredentialField
              key={scheme.id}
              scheme={scheme}
              value={filled.credentials[scheme.name] ?? ''}
              onValue={(value) => setCredentialOf(scheme, value)}
              onObtain={(id) => get(id, scheme)}
            />
          ))}
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
        <Answered {...answered} audience={credential === 'nobody' ? null : audience} core={services.core} />
      )}
    </>
  )
}
