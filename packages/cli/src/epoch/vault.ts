import type { EpochVault, VaultNoteEntry } from '#client/epoch-vault'
import { usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { argument, type Given, list, option, type Result } from '../result.ts'

export async function members(context: Context, given: Given): Promise<Result> {
  const { epoch, members: found, unexpected } = await (await vaultOf(context, given)).members()
  return {
    data: { epoch, members: found, unexpected },
    text: found.map(({ did }) => `${did}${unexpected.includes(did) ? '  not expected' : ''}`),
  }
}

export async function listNotes(context: Context, given: Given): Promise<Result> {
  const notes: VaultNoteEntry[] = []
  for await (const note of (await vaultOf(context, given)).list()) notes.push(note)
  return {
    data: { notes },
    text:
      notes.length === 0
        ? 'There are no notes.'
        : notes.map(
            ({ noteId, author, version, writtenAt }) =>
              `${noteId}  version ${version}, ${new Date(writtenAt).toISOString()}, by ${author}`,
          ),
  }
}

export async function writeNote(context: Context, given: Given): Promise<Result> {
  const [file, title, over] = ['file', 'title', 'over'].map((name) => option(given, name))
  if (file === undefined) throw usage('The text is missing', 'pass --file, such as --file - for standard input')
  const body = await context.readText(file)
  if (context.options.dryRun) return { data: {}, text: `Would write a note of ${body.length} characters.` }
  const vault = await vaultOf(context, given)
  const base = over === undefined ? undefined : await vault.read(over)
  const entry = await vault.write({ body, ...(title !== undefined && { title }), ...(base && { base }) })
  return { data: entry, text: `${entry.noteId}, version ${entry.version}` }
}

export async function readNote(context: Context, given: Given): Promise<Result> {
  const { noteId, author, version, generation, writtenAt, title, body } = await (await vaultOf(context, given)).read(
    argument(given, 1),
  )
  return {
    data: { noteId, author, version, generation, writtenAt, title: title ?? null, body },
    text: [...(title === undefined ? [] : [title, '']), body],
  }
}

export async function deleteNote(context: Context, given: Given): Promise<Result> {
  const noteId = argument(given, 1)
  if (context.options.dryRun) return { data: { noteId }, text: `Would delete ${noteId}.` }
  await context.confirm(`Delete ${noteId} for all members?`)
  await (await vaultOf(context, given)).delete(noteId)
  return { data: { noteId }, text: `${noteId} is deleted.` }
}

export async function leave(context: Context, given: Given): Promise<Result> {
  const epoch = epochOf(given)
  if (context.options.dryRun) return { data: { epoch }, text: `Would leave the vault of epoch ${epoch}.` }
  await context.confirm(
    `Leave the vault of epoch ${epoch}? Your notes are deleted, and only the operator admits you again.`,
  )
  await (await vaultOf(context, given)).leave()
  return { data: { epoch }, text: `You have left the vault of epoch ${epoch}.` }
}

async function vaultOf(context: Context, given: Given): Promise<EpochVault> {
  const [epoch, expects] = [epochOf(given), list(given, 'expect')]
  const { EpochVault: Vault } = await import('#client/epoch-vault')
  return Vault.open(await context.client(), epoch, expects.length > 0 ? { expects } : {})
}

function epochOf(given: Given): number {
  const typed = argument(given, 0)
  if (/^[1-9]\d{0,14}$/.test(typed)) return Number(typed)
  throw usage(`"${typed}" is not the number of an epoch`, 'svc epoch show has the number of the open one')
}
