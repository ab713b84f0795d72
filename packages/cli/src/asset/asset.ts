import { CliError, usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { asFile } from '../files.ts'
import { argument, type Given, option, type Result } from '../result.ts'

export async function mint(context: Context, given: Given): Promise<Result> {
  const file = await context.read(argument(given, 0))
  const [mime, cid] = [option(given, 'mime'), option(given, 'cid')]
  if (mime === undefined) throw usage('The media type is missing', 'pass --mime, such as --mime image/png')
  const { assetIdOf, hashOf } = await import('#client/functions')
  const core = {
    media: { mime, bytes: file.length, ...(cid !== undefined && { cid }) },
    metadataHash: await hashOf(file),
  }
  if (context.options.dryRun) {
    const assetId = await assetIdOf((await context.asserter()).scope, core)
    return { data: { asset: { assetId, ...core } }, text: `Would mint ${assetId}.` }
  }
  const record = await (await context.client()).assets.mint(core)
  return { data: record, text: record.asset.assetId }
}

export async function show(context: Context, given: Given): Promise<Result> {
  const read = await (await context.client()).assets.read(argument(given, 0))
  const { record, proof } = read
  return {
    data: read,
    text: [
      record.asset.assetId,
      `owner  ${proof.did}, ${proof.owner === 'proved' ? 'proved by signatures' : `claimed by the service: ${proof.reason}`}`,
      `media  ${record.asset.media.mime}`,
    ],
  }
}

export async function transfer(context: Context, given: Given): Promise<Result> {
  const [assetId, to] = [argument(given, 0), argument(given, 1)]
  if (context.options.dryRun) return { data: { assetId, to }, text: `Would give ${assetId} to ${to}.` }
  await context.confirm(`Give ${assetId} to ${to}? Only they can give it back.`)
  const record = await (await context.client()).assets.transfer(assetId, to)
  return { data: record, text: `${assetId} belongs to ${record.owner}.` }
}

export async function exportAsset(context: Context, given: Given): Promise<Result> {
  const assetId = argument(given, 0)
  const { record, transfers } = await (await context.client()).assets.export(assetId)
  const content = `${JSON.stringify({ record, transfers })}\n`
  return asFile(context, option(given, 'out'), content, { assetId, transfers: transfers.length })
}

export async function addReceipt(context: Context, given: Given): Promise<Result> {
  const assetId = argument(given, 0)
  const [contract, tokenId] = [option(given, 'contract'), option(given, 'token')]
  const standard = option(given, 'standard') ?? 'erc721'
  if (contract === undefined || tokenId === undefined)
    throw usage('The token is missing', 'pass --contract and --token')
  if (standard !== 'erc721' && standard !== 'erc1155')
    throw usage(`"${standard}" is not a standard`, 'choose erc721 or erc1155')
  if (context.options.dryRun) return { data: {}, text: `Would record token ${tokenId} of ${contract}.` }
  const record = await (await context.client()).assets.addReceipt(assetId, { standard, contract, tokenId })
  return { data: record, text: `${assetId} has ${record.receipts?.length ?? 0} tokens.` }
}

export async function displaced(context: Context, given: Given): Promise<Result> {
  const assetId = argument(given, 0)
  const found = await (await context.client()).assets.displaced(assetId)
  if (!found)
    throw new CliError({
      exitCode: EXIT.invalid,
      code: 'none_displaced',
      message: `Nothing was displaced by ${assetId}`,
      next: 'svc asset show has the record that counts',
      page: '/developer/assets',
    })
  const { record, displacedAt, transfers } = found
  return {
    data: { owner: record.owner, displacedAt, transfers: transfers.length },
    text: `claimed by ${record.owner} until ${new Date(displacedAt).toISOString()}`,
  }
}
