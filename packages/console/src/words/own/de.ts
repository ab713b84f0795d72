import type { OwnWords } from './en.ts'

export const words: OwnWords = {
  title: 'Ihre Identität',
  menu: 'Ihre Seiten',
  overview: 'Übersicht',
  capsules: 'Kapseln',
  consent: 'KI-Nutzung',
  anchors: 'Verankerungen',
  chain: 'Kette',
  directory: 'Schlüsselverzeichnis',
  organization: 'Organisationen',
  assets: 'Assets',
  payments: 'Tarif',
  notes: 'Notizen',
  inbox: 'Posteingang',
  backup: 'Sicherung',
  unlock: 'Öffnen',
  unlockLead: 'Der Schlüssel dieses Browsers ist verschlüsselt. Öffnen Sie ihn mit Passkey oder Passphrase.',
  needsRoot: 'Das kann nur das Gerät mit dem Hauptschlüssel.',
  rootByPasskey: 'Das braucht den Hauptschlüssel. Drücken Sie noch einmal, und bestätigen Sie mit Ihrem Passkey.',
  rootByPassphrase: 'Das braucht den Hauptschlüssel. Geben Sie seine Passphrase ein.',
}
