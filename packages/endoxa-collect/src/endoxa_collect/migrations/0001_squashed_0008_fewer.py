"""All tables at once, for new databases; one that the eight migrations before made is as this makes it."""

import django.db.models.deletion
import endoxa_collect.models.pairs
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    replaces = [
        ("collect", name)
        for name in (
            "0001_initial",
            "0002_earlier_consents",
            "0003_quality",
            "0004_groups",
            "0005_people",
            "0006_offline",
            "0007_interviews",
            "0008_fewer",
        )
    ]

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Campaign",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slug", models.SlugField(max_length=40, unique=True)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("draft", "Draft"),
                            ("open", "Open"),
                            ("paused", "Paused"),
                            ("closed", "Closed"),
                        ],
                        default="draft",
                        max_length=8,
                    ),
                ),
                (
                    "balance",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("explore", "explore"),
                            ("balance", "balance"),
                            ("sparse", "sparse"),
                            ("validate", "validate"),
                        ],
                        max_length=8,
                    ),
                ),
                ("version", models.PositiveIntegerField(default=1)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("began_at", models.DateTimeField(null=True)),
                ("paused_at", models.DateTimeField(null=True)),
                ("matched_at", models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name="Attempts",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=64)),
                ("start", models.BigIntegerField()),
                ("ends", models.BigIntegerField(db_index=True)),
                ("count", models.PositiveIntegerField()),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("name", "start"), name="attempts_once")],
            },
        ),
        migrations.CreateModel(
            name="JoinCode",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("code", models.CharField(max_length=16, unique=True)),
                ("expires_at", models.DateTimeField(null=True)),
                ("revoked", models.BooleanField(default=False)),
                ("interviewer", models.CharField(blank=True, db_default="", default="", max_length=8)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("label", models.CharField(blank=True, max_length=60)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="codes",
                        to="collect.campaign",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Person",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("secret_hash", models.CharField(max_length=64, unique=True)),
                ("receipt_hash", models.CharField(max_length=64, unique=True)),
                ("ui_language", models.CharField(max_length=8)),
                ("consent_version", models.PositiveIntegerField()),
                ("consent_language", models.CharField(max_length=8)),
                ("consent_hour", models.DateTimeField()),
                ("earlier_consents", models.JSONField(default=list)),
                ("keep_words", models.BooleanField(default=False)),
                ("profile_done", models.BooleanField(default=False)),
                ("origins", models.JSONField(default=list)),
                ("connections", models.JSONField(default=list)),
                ("countries", models.JSONField(default=list)),
                ("close_to", models.JSONField(default=list)),
                ("languages", models.JSONField(default=list)),
                ("topic_optouts", models.JSONField(default=list)),
                ("extras", models.JSONField(default=dict)),
                ("aside", models.BooleanField(db_default=False, default=False)),
                ("aside_pairs", models.JSONField(default=dict)),
                ("interviewer", models.CharField(blank=True, db_default="", default="", max_length=8)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="people",
                        to="collect.campaign",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Pair",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("country", models.CharField(max_length=31)),
                ("attribute", models.CharField(max_length=120)),
                ("key", models.CharField(max_length=120)),
                ("language", models.CharField(max_length=8)),
                ("topic", models.CharField(blank=True, max_length=40)),
                ("negative", models.BooleanField(null=True)),
                (
                    "judged",
                    models.CharField(
                        blank=True,
                        choices=[("people", "People"), ("moderator", "Moderator"), ("approved", "Approved")],
                        max_length=9,
                    ),
                ),
                (
                    "source",
                    models.CharField(
                        choices=[("seed", "Seed"), ("contributor", "Contributor")], max_length=11
                    ),
                ),
                (
                    "moderation",
                    models.CharField(
                        choices=[
                            ("pending", "Pending"),
                            ("live", "Live"),
                            ("hidden", "Hidden"),
                            ("merged", "Merged"),
                        ],
                        default="pending",
                        max_length=8,
                    ),
                ),
                (
                    "before_merge",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("pending", "Pending"),
                            ("live", "Live"),
                            ("hidden", "Hidden"),
                            ("merged", "Merged"),
                        ],
                        max_length=8,
                    ),
                ),
                ("flags", models.JSONField(default=list)),
                (
                    "flagged",
                    models.GeneratedField(
                        db_persist=True,
                        expression=models.ExpressionWrapper(
                            models.Q(("flags", []), _negated=True), output_field=models.BooleanField()
                        ),
                        output_field=models.BooleanField(),
                    ),
                ),
                ("calibration", models.BooleanField(default=False)),
                (
                    "need",
                    models.PositiveSmallIntegerField(
                        choices=[(0, "needs"), (1, "topup"), (2, "open"), (3, "full"), (4, "candidate")],
                        default=0,
                    ),
                ),
                ("ratings", models.PositiveIntegerField(default=0)),
                ("own_filled", models.PositiveIntegerField(default=0)),
                ("near_filled", models.PositiveIntegerField(default=0)),
                ("mentions", models.PositiveIntegerField(default=0)),
                ("variance", models.FloatField(null=True)),
                ("position", models.FloatField(default=endoxa_collect.models.pairs._position)),
                ("waiting_since", models.BigIntegerField(default=endoxa_collect.models.pairs._seconds)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="pairs",
                        to="collect.campaign",
                    ),
                ),
                (
                    "author",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="authored",
                        to="collect.person",
                    ),
                ),
                (
                    "merged_into",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="merged",
                        to="collect.pair",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=[
                            "campaign",
                            "moderation",
                            "need",
                            "country",
                            "language",
                            "negative",
                            "ratings",
                        ],
                        name="pair_by_cell",
                    ),
                    models.Index(
                        models.F("campaign"),
                        models.F("need"),
                        models.F("moderation"),
                        models.OrderBy(models.F("ratings"), descending=True),
                        models.F("waiting_since"),
                        name="pair_waiting",
                    ),
                    models.Index(fields=["campaign", "created_at"], name="pair_by_age"),
                    models.Index(fields=["campaign", "language", "key"], name="pair_by_key"),
                    models.Index(
                        fields=["campaign", "moderation", "need", "position"], name="pair_by_position"
                    ),
                    models.Index(
                        condition=models.Q(("calibration", True)),
                        fields=["campaign"],
                        name="pair_calibration",
                    ),
                    models.Index(
                        condition=models.Q(("flagged", True)),
                        fields=["campaign", "moderation"],
                        name="pair_flagged",
                    ),
                    models.Index(
                        condition=models.Q(
                            ("judged", ""), ("negative__isnull", True), ("source", "contributor")
                        ),
                        fields=["campaign", "moderation", "created_at"],
                        name="pair_unjudged",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("campaign", "country", "language", "key"), name="pair_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Claim",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("until", models.DateTimeField()),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "pair",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="claim", to="collect.pair"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Card",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("token", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("country", models.CharField(max_length=31)),
                ("topic", models.CharField(blank=True, max_length=40)),
                ("negative", models.BooleanField(default=False)),
                ("number", models.PositiveIntegerField()),
                ("tier", models.CharField(max_length=12)),
                ("slot", models.CharField(blank=True, max_length=6)),
                ("propensity", models.FloatField(null=True)),
                ("pool", models.PositiveIntegerField(default=0)),
                ("version", models.PositiveIntegerField()),
                ("digest", models.CharField(max_length=12)),
                ("adds", models.BooleanField(default=True)),
                ("words", models.BooleanField(default=True)),
                ("ticks", models.BooleanField(default=True)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("open", "Open"),
                            ("ahead", "Ahead"),
                            ("answered", "Answered"),
                            ("skipped", "Skipped"),
                            ("lapsed", "Lapsed"),
                        ],
                        default="open",
                        max_length=8,
                    ),
                ),
                ("late", models.BooleanField(default=False)),
                (
                    "revealed",
                    models.CharField(
                        blank=True,
                        choices=[("shown", "Shown"), ("revealed", "Revealed"), ("covered", "Covered")],
                        max_length=8,
                    ),
                ),
                ("pace", models.CharField(blank=True, db_default="", default="", max_length=8)),
                ("offline", models.BooleanField(default=False)),
                ("drawn_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
                ("closed_at", models.DateTimeField(null=True)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="cards",
                        to="collect.campaign",
                    ),
                ),
                (
                    "pair",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="cards",
                        to="collect.pair",
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="cards", to="collect.person"
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["campaign", "state", "expires_at"], name="card_leases"),
                    models.Index(fields=["person", "number"], name="card_of_person"),
                    models.Index(fields=["campaign", "closed_at"], name="card_pace"),
                    models.Index(fields=["campaign", "drawn_at", "person"], name="card_drawn"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("state", "open")), fields=("person",), name="one_open_card"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="MixedCard",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("token", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                (
                    "kind",
                    models.CharField(choices=[("heard", "Heard"), ("compare", "Compare")], max_length=8),
                ),
                ("country", models.CharField(max_length=31)),
                ("pool", models.PositiveIntegerField(default=0)),
                ("propensity", models.FloatField(null=True)),
                ("version", models.PositiveIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("open", "Open"),
                            ("ahead", "Ahead"),
                            ("answered", "Answered"),
                            ("skipped", "Skipped"),
                            ("lapsed", "Lapsed"),
                        ],
                        default="open",
                        max_length=8,
                    ),
                ),
                ("reason", models.CharField(blank=True, max_length=16)),
                ("drawn_at", models.DateTimeField()),
                ("closed_at", models.DateTimeField(null=True)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="mixed_cards",
                        to="collect.campaign",
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="mixed_cards",
                        to="collect.person",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["person", "state", "closed_at"], name="mixed_of_person")],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("state", "open")), fields=("person",), name="one_open_mixed_card"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="MixedAnswer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("position", models.PositiveSmallIntegerField()),
                ("answer", models.CharField(blank=True, max_length=9)),
                (
                    "card",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="answers",
                        to="collect.mixedcard",
                    ),
                ),
                (
                    "pair",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="mixed_rows",
                        to="collect.pair",
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="mixed_answers",
                        to="collect.person",
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("card", "pair"), name="mixed_pair_once")],
            },
        ),
        migrations.CreateModel(
            name="Mention",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("text", models.CharField(max_length=120)),
                (
                    "via",
                    models.CharField(
                        choices=[
                            ("attribute", "Attribute"),
                            ("other_country", "Other Country"),
                            ("prompt", "Prompt"),
                        ],
                        max_length=13,
                    ),
                ),
                ("alike", models.BooleanField(null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "card",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="mention_rows",
                        to="collect.card",
                    ),
                ),
                (
                    "alike_to",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="collect.pair",
                    ),
                ),
                (
                    "pair",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="mention_rows",
                        to="collect.pair",
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="mentions",
                        to="collect.person",
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("person", "pair"), name="mention_once")],
            },
        ),
        migrations.CreateModel(
            name="Match",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slot", models.CharField(max_length=6)),
                ("propensity", models.FloatField()),
                ("pool", models.PositiveIntegerField()),
                ("until", models.DateTimeField()),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="matches",
                        to="collect.campaign",
                    ),
                ),
                (
                    "pair",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="matches", to="collect.pair"
                    ),
                ),
                (
                    "person",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="match", to="collect.person"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="HurtAnswer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                (
                    "answer",
                    models.CharField(
                        choices=[("yes", "Yes"), ("no", "No"), ("unsure", "Unsure")], max_length=6
                    ),
                ),
                ("created_at", models.DateTimeField()),
                (
                    "card",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="hurt_answers",
                        to="collect.card",
                    ),
                ),
                (
                    "pair",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="hurt_answers",
                        to="collect.pair",
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="hurt_answers",
                        to="collect.person",
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("person", "pair"), name="hurt_answer_once")],
            },
        ),
        migrations.CreateModel(
            name="Act",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                (
                    "action",
                    models.CharField(
                        choices=[
                            ("approve", "Approve"),
                            ("hide", "Hide"),
                            ("edit", "Edit"),
                            ("personal", "Personal"),
                            ("escalate", "Escalate"),
                            ("mark", "Mark"),
                            ("merge", "Merge"),
                            ("unmerge", "Unmerge"),
                        ],
                        max_length=8,
                    ),
                ),
                ("before", models.JSONField(default=dict)),
                ("undone", models.BooleanField(default=False)),
                ("at", models.DateTimeField(auto_now_add=True)),
                (
                    "user",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "pair",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="acts", to="collect.pair"
                    ),
                ),
                (
                    "words_of",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="collect.person",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["user", "at"], name="act_of_user")],
            },
        ),
        migrations.CreateModel(
            name="Rating",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("value", models.PositiveSmallIntegerField()),
                ("in_group", models.BooleanField()),
                ("surplus", models.BooleanField(default=False)),
                ("created_at", models.DateTimeField()),
                (
                    "card",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="rating", to="collect.card"
                    ),
                ),
                (
                    "pair",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="rating_rows",
                        to="collect.pair",
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="ratings",
                        to="collect.person",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("person", "pair"), name="rating_once"),
                    models.CheckConstraint(
                        condition=models.Q(("value__gte", 1), ("value__lte", 5)), name="rating_one_to_five"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Release",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.CharField(max_length=20)),
                ("salt", models.CharField(max_length=64)),
                ("sha256", models.CharField(blank=True, max_length=64)),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                ("recipient", models.CharField(blank=True, max_length=200)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="releases",
                        to="collect.campaign",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("sha256", ""), _negated=True),
                        fields=("campaign", "number"),
                        name="release_once",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Edition",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                ("figures", models.JSONField()),
                ("archive", models.BinaryField(default=b"")),
                ("published", models.BooleanField(default=False)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="editions",
                        to="collect.campaign",
                    ),
                ),
                (
                    "release",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="edition",
                        to="collect.release",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Sent",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("token", models.UUIDField()),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="sent", to="collect.person"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("person", "token"), name="sent_once")],
            },
        ),
        migrations.CreateModel(
            name="SettingsVersion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("content", models.JSONField()),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="versions",
                        to="collect.campaign",
                    ),
                ),
                (
                    "made_by",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("campaign", "number"), name="settings_version_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="Skip",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                (
                    "reason",
                    models.CharField(
                        choices=[
                            ("dont_know", "Dont Know"),
                            ("dont_understand", "Dont Understand"),
                            ("rather_not", "Rather Not"),
                            ("report_personal", "Report Personal"),
                            ("report_hate", "Report Hate"),
                            ("report_nonsense", "Report Nonsense"),
                            ("report_other", "Report Other"),
                        ],
                        max_length=16,
                    ),
                ),
                ("created_at", models.DateTimeField()),
                (
                    "card",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="skip", to="collect.card"
                    ),
                ),
                (
                    "pair",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="skip_rows",
                        to="collect.pair",
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="skips", to="collect.person"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Statement",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("question", models.CharField(max_length=31)),
                ("axis", models.CharField(max_length=40)),
                ("language", models.CharField(max_length=8)),
                ("text", models.CharField(max_length=2000)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="statements",
                        to="collect.campaign",
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="statements",
                        to="collect.person",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("person", "question"), name="statement_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="Task",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.SlugField(max_length=40)),
                ("kind", models.CharField(max_length=20)),
                ("settings", models.JSONField(default=dict)),
                (
                    "state",
                    models.CharField(
                        choices=[("open", "Open"), ("paused", "Paused"), ("closed", "Closed")],
                        default="open",
                        max_length=8,
                    ),
                ),
                ("code", models.CharField(blank=True, max_length=20)),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                ("revealed_at", models.DateTimeField(null=True)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tasks",
                        to="collect.campaign",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("campaign", "name"), name="task_once"),
                    models.UniqueConstraint(
                        condition=models.Q(("code", ""), _negated=True),
                        fields=("code",),
                        name="task_code_once",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Judge",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("secret_hash", models.CharField(blank=True, max_length=64)),
                ("participant", models.CharField(blank=True, max_length=64)),
                ("group", models.CharField(blank=True, max_length=40)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("active", "Active"),
                            ("finished", "Finished"),
                            ("failed", "Failed"),
                            ("left", "Left"),
                        ],
                        default="active",
                        max_length=8,
                    ),
                ),
                ("steps", models.JSONField(default=dict)),
                ("came_at", models.DateTimeField(auto_now_add=True)),
                (
                    "user",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="judging",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "task",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="judges", to="collect.task"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("user__isnull", False)),
                        fields=("task", "user"),
                        name="judge_account_once",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("participant", ""), _negated=True),
                        fields=("task", "participant"),
                        name="judge_participant_once",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("secret_hash", ""), _negated=True),
                        fields=("secret_hash",),
                        name="judge_secret_once",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="TaskItem",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("key", models.CharField(max_length=200)),
                ("content", models.JSONField()),
                ("hidden", models.JSONField(default=dict)),
                ("check_item", models.BooleanField(default=False)),
                ("judged", models.PositiveIntegerField(default=0)),
                ("done", models.BooleanField(default=False)),
                ("place", models.FloatField(default=0.0)),
                (
                    "task",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="items", to="collect.task"
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["task", "done", "judged", "place"], name="task_item_next")],
                "constraints": [models.UniqueConstraint(fields=("task", "key"), name="task_item_once")],
            },
        ),
        migrations.CreateModel(
            name="Tombstone",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("row", models.UUIDField(default=uuid.uuid4, unique=True)),
                ("table", models.CharField(max_length=12)),
                ("withdrawn_hour", models.DateTimeField()),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tombstones",
                        to="collect.campaign",
                    ),
                ),
                (
                    "release",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="collect.release",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Turn",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("token", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("number", models.PositiveIntegerField()),
                ("shown", models.JSONField(default=dict)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("open", "Open"),
                            ("judged", "Judged"),
                            ("skipped", "Skipped"),
                            ("lapsed", "Lapsed"),
                        ],
                        default="open",
                        max_length=8,
                    ),
                ),
                ("drawn_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
                ("closed_at", models.DateTimeField(null=True)),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="turns",
                        to="collect.taskitem",
                    ),
                ),
                (
                    "judge",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="turns", to="collect.judge"
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["judge", "state", "number"], name="turn_of_judge"),
                    models.Index(fields=["item", "state", "expires_at"], name="turn_of_item"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("state", "lapsed"), _negated=True),
                        fields=("item", "judge"),
                        name="item_once_a_judge",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Judgement",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("answer", models.JSONField()),
                ("undone", models.BooleanField(default=False)),
                ("at", models.DateTimeField()),
                (
                    "turn",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="judgements",
                        to="collect.turn",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("undone", False)), fields=("turn",), name="one_judgement_in_force"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="AuditEntry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("action", models.CharField(max_length=40)),
                ("detail", models.JSONField(default=dict)),
                ("at", models.DateTimeField(auto_now_add=True)),
                (
                    "user",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="audit",
                        to="collect.campaign",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["campaign", "at"], name="audit_by_time")],
            },
        ),
        migrations.CreateModel(
            name="Arrivals",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("day", models.DateField()),
                ("joined", models.PositiveIntegerField(default=0)),
                ("declined", models.PositiveIntegerField(default=0)),
                (
                    "code",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="arrivals",
                        to="collect.joincode",
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("code", "day"), name="arrivals_once")],
            },
        ),
        migrations.CreateModel(
            name="Membership",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("organiser", "Organiser"),
                            ("moderator", "Moderator"),
                            ("reviewer", "Reviewer"),
                            ("researcher", "Researcher"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to="collect.campaign",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("user", "campaign", "role"), name="membership_once")
                ],
            },
        ),
    ]
