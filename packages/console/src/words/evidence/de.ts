import type { EvidenceWords } from './en.ts'

type Found = Readonly<Record<string, string | number>>
type Said = (found: Found, at: string) => string

const ok: Record<string, Said> = {
  anchored_by: ({ did }, at) =>
    `Verankert von ${did}, laut Log angenommen am ${at}. Das zeigt, wer es damals kannte, nicht, wer es gemacht hat.`,
  act: ({ type }) => `Ein Hauptschlüssel dieser Identität hat es als ${type} signiert.`,
  archive: ({ size }) => `Der Export hat alle ${size} Einträge des Logs der Notizen.`,
  audience: ({ audience }) => `Es ist an ${audience} gerichtet.`,
  beacon_leaf: (_, at) => `Sein neuestes Blatt, vom ${at}, ist im Baum.`,
  beacon: ({ log, size, count }) => `${count} Schlüssel haben das Beacon ${log} mit ${size} Blättern signiert.`,
  consent: ({ preferences }) => `Der Urheber hat signiert: ${preferences}.`,
  devices: ({ count }) => `Enthaltene Geräte: ${count}.`,
  manifest: (_, at) => `Der Dienst hat diesen Stand der Notizen am ${at} signiert.`,
  minter: ({ did }) => `Erzeugt und signiert von ${did}.`,
  new_key: ({ epoch }) => `Auch der neue Schlüssel, der Epoche ${epoch}, hat es signiert.`,
  opening: () => 'Inhalt und Salt ergeben diese Festlegung.',
  records: ({ versions, attachments }) =>
    `Fassungen von Notizen, jede von einem Schlüssel dieser Identität signiert: ${versions}. Anhänge: ${attachments}.`,
  recovery: () => 'Eine vorbereitete Wiederherstellung ist enthalten.',
  root_key: ({ epoch }) => `Der Hauptschlüssel der Epoche ${epoch} ist enthalten.`,
  same_root: ({ size }) => `Sie zeigen dieselben ${size} Einträge mit derselben Wurzel.`,
  signer: ({ signer }) => SIGNERS[String(signer)] ?? String(signer),
  statement: ({ type }) => `Ein Dienst hat es als ${type} signiert.`,
  transfers: ({ count }) =>
    count === 0 ? 'Es wurde nie übertragen.' : `Übertragungen, jede vom vorigen Eigentümer signiert: ${count}.`,
}

const unchecked: Record<string, Said> = {
  more_anchors: ({ count }) => `Mehr als diese ${count} haben es verankert.`,
  public_record: () => 'Kein öffentlicher Eintrag. Ein Nachweis kann trotzdem existieren.',
  act: ({ type }) => `Wer es als ${type} signiert hat, wurde nicht geprüft.`,
  act_key: () => 'Der Schlüssel, der es signiert hat, ist nicht der erste dieser Identität.',
  approval: ({ did }) => `${did} stimmt einer Liste von Verantwortlichen zu, die hier fehlt.`,
  archive: () => 'Ob der Export alle Einträge hat, wurde nicht geprüft.',
  audience: ({ audience }) => `Es ist an ${audience} gerichtet.`,
  capsule_key: () => 'Der Schlüssel ist nicht der erste dieser Identität.',
  commitment: (_, at) => `Dass diese Identität sie am ${at} gemacht hat, sagt nur der Dienst.`,
  consent: ({ preferences }) =>
    preferences === undefined ? 'Für diese Adresse ist nichts erklärt.' : `Ohne Signatur erklärt: ${preferences}.`,
  consent_device: () => 'Ein Gerät hat signiert. Dass es für den Urheber handelte, sagt nur der Dienst.',
  device_key: () =>
    'Kein Hauptschlüssel dieser Identität hat signiert. Vielleicht war es ein Gerät; das weiß nur der Dienst.',
  draft: ({ as }) => DRAFTS[String(as)] ?? String(as),
  message_key: () => 'Der Schlüssel ist nicht der erste dieser Identität.',
  beacon_date: () =>
    'Der Schlüssel, der signiert hat, hat ein Ende, und nichts hier sagt, wann er signiert hat. Bewahren Sie auf, was svc directory beacon --out schreibt.',
  one_checkpoint: () => 'Es gibt keinen anderen Checkpoint zum Vergleichen.',
  one_log: () => 'Sie stammen aus verschiedenen Logs und wurden nicht verglichen.',
  activation: () => 'Dass jeder Wechsel wirksam wurde, sagt nur der Dienst.',
  newest_key: () => 'Ob der letzte Schlüssel später ersetzt wurde, ist einer Datei nicht anzusehen.',
  opening: () => 'Ob Inhalt und Salt diese Festlegung ergeben, wurde nicht geprüft.',
  order: () => 'Was zuerst war, weiß nur, wer das Log der Geräte dieser Identität sieht.',
  record_keys: ({ count }) => `Wer ${count} Fassungen von Notizen signiert hat, ist hier nicht bekannt.`,
  recovery: () => 'Eine Wiederherstellung ist nicht enthalten.',
  root_key: () => 'Ein Hauptschlüssel ist nicht enthalten.',
  sealed: ({ as, did, count }) => SEALED[String(as)]?.(String(did), Number(count)) ?? String(as),
  service_key: () => 'Die Schlüssel der Dienste sind hier nicht bekannt.',
  stamp: () => 'Der Beweis ist noch nicht enthalten.',
}

const SIGNERS: Record<string, string> = {
  active: 'Der Schlüssel, der es signiert hat, kann heute signieren.',
  revoked: 'Das Gerät, das es signiert hat, wurde seither widerrufen. Etwas von vorher folgt darauf.',
  superseded: 'Der Schlüssel, der es signiert hat, wurde seither ersetzt. Etwas von vorher folgt darauf.',
}

const DRAFTS: Record<string, string> = {
  answers: 'Öffentliche Antworten, die svc verify aufbewahrt hat, um etwas anderes ohne Netz zu prüfen.',
  invitation: 'Eine Einladung in eine Organisation. Niemand hat sie signiert.',
  officers: 'Eine Liste von Verantwortlichen. Niemand hat sie signiert.',
  policy: 'Ein Vorschlag für Regeln. Niemand hat ihn signiert.',
  policy_signature: 'Eine Signatur unter vorgeschlagenen Regeln, die in einer anderen Datei stehen.',
}

const SEALED: Record<string, (did: string, count: number) => string> = {
  age: () => 'Eine mit age verschlüsselte Datei, etwa eine Sicherung von Schlüsseln.',
  inbox: (did, count) => `Verschlüsselte Nachrichten an ${did}: ${count}.`,
  message: (did) => `Eine verschlüsselte Nachricht an ${did}, die noch nicht zugestellt ist.`,
  notes: () => 'Der Text der Notizen ist verschlüsselt; nur ihr Besitzer kann ihn lesen.',
  reply: () => 'Eine verschlüsselte Antwort an den Absender einer Nachricht.',
  secret: () => 'Ein Geheimnis, verschlüsselt mit einem Schlüssel aus der Anmeldung.',
}

/** What is said of rarer kinds of evidence. */
export const words: EvidenceWords = {
  said(check, isOk, found, at) {
    return (isOk ? ok : unchecked)[check]?.(found, at)
  },
}
