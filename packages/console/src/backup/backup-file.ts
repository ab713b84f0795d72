import type { KeyExportError } from '@svc/client/backup'
import { chunk } from '../failures/chunk.ts'
import { SaidError } from '../failures/sentences.ts'
import { jsonIn } from '../files/given-file.ts'
import { connectAsNobody } from '../keys/connect.ts'
import type { RootKeys } from '../keys/root-keys.ts'
import { words } from '../words/backup/words.ts'

/** More than any export has. */
const MAX_FILE_BYTES = 1_000_000

/** The root keys and the requests of a recovery as the text of a file. */
export async function backupOf(keys: RootKeys, passphrase: string): Promise<string> {
  const exportKeys = await chunk(() => import('@svc/client/backup').then(({ exportKeys: loaded }) => loaded))
  return `${JSON.stringify(await exportKeys(keys, passphrase), null, 2)}\n`
}

/** Opens a backup that has a root key. Throws a `SaidError` that says why it cannot. */
export async function openBackup(file: File, passphrase: string): Promise<RootKeys> {
  const { exportedKeysSchema, importKeys } = await chunk(() =>
    import('@svc/client/backup').then(({ exportedKeysSchema: schema, importKeys: read }) => ({
      exportedKeysSchema: schema,
      importKeys: read,
    })),
  )
  if (file.size > MAX_FILE_BYTES) throw new SaidError(words.notBackup)
  const { data } = exportedKeysSchema.safeParse(await jsonIn(file))
  if (!data) throw new SaidError(words.notBackup)
  if (data.kdf.name === 'passkey-prf') throw new SaidError(words.withPasskey)
  const { identity, former, recovery, sheets } = await importKeys(data, passphrase).catch((error: unknown) => {
    throw isExportError(error) ? new SaidError(sentences[error.reason] ?? words.notBackup) : error
  })
  if (!identity) throw new SaidError(words.noRoot)
  return { identity, former, recovery, sheets }
}

/** Throws a `SaidError` if another key has replaced this one, which then can do nothing. */
export async function checkCurrent(core: string, { identity }: RootKeys): Promise<void> {
  const keys = await (await connectAsNobody(core)).keyHistory.of(identity.did)
  if (keys.at(-1)?.publicKeyB64u !== identity.publicKeyB64u) throw new SaidError(words.replaced)
}

const sentences: Readonly<Record<string, string>> = { not_opened: words.notOpened, mismatch: words.mismatch }

function isExportError(error: unknown): error is KeyExportError {
  return error instanceof Error && error.name === 'KeyExportError'
}
