"""Data sheets of GPUs and of open-weights models."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower


class Gpu(models.Model):
    """A GPU's data sheet; peaks are without sparsity, memory bandwidth in GB/s, links in GB/s one way."""

    name = models.CharField(max_length=40, unique=True)
    aliases = models.CharField(max_length=100, blank=True)
    vendor = models.CharField(max_length=20)
    architecture = models.CharField(max_length=30)
    vram_gb = models.FloatField()
    driver_mib = models.PositiveIntegerField(null=True, blank=True)
    mem_type = models.CharField(max_length=10)
    mem_bw_gb_s = models.FloatField()
    fp16_tflops_dense_fp32acc = models.FloatField(null=True, blank=True)
    bf16_tflops_dense = models.FloatField(null=True, blank=True)
    fp16_tflops_dense_fp16acc = models.FloatField(null=True, blank=True)
    fp8_tflops_dense = models.FloatField(null=True, blank=True)
    int8_tops_dense = models.FloatField(null=True, blank=True)
    fp4_tflops_dense = models.FloatField(null=True, blank=True)
    fp32_tflops = models.FloatField(null=True, blank=True)
    nvlink_gen = models.CharField(max_length=40, blank=True)
    link_gb_s_per_direction = models.FloatField(null=True, blank=True)
    link_gb_s_bidirectional = models.FloatField(null=True, blank=True)
    pcie_gen = models.PositiveSmallIntegerField(null=True, blank=True)
    pcie_gb_s_per_direction = models.FloatField(null=True, blank=True)
    tdp_w = models.FloatField(null=True, blank=True)
    compute_capability = models.CharField(max_length=16, blank=True)
    bf16_native = models.BooleanField(default=False)
    fp8_native = models.BooleanField(default=False)
    fp4_native = models.BooleanField(default=False)
    mamf_bf16_tflops = models.FloatField(null=True, blank=True)
    mamf_fp8_tflops = models.FloatField(null=True, blank=True)
    measured_mem_bw_gb_s = models.FloatField(null=True, blank=True)
    source = models.TextField()
    note = models.TextField(blank=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(condition=Q(vram_gb__gt=0, mem_bw_gb_s__gt=0), name="gpu_memory_positive"),
        ]

    def __str__(self) -> str:
        return self.name


class LanguageModel(models.Model):
    """An open-weights model's dimensions. `is_test` marks random weights made on the spot for a test run."""

    name = models.CharField(max_length=60, unique=True)
    hf_id = models.CharField(max_length=100, blank=True)
    is_test = models.BooleanField(default=False)
    params_total = models.PositiveBigIntegerField()
    params_active = models.PositiveBigIntegerField()
    params_non_embedding = models.PositiveBigIntegerField()
    layers = models.PositiveIntegerField()
    hidden = models.PositiveIntegerField()
    heads = models.PositiveIntegerField()
    kv_heads = models.PositiveIntegerField()
    head_dim = models.PositiveIntegerField()
    intermediate = models.PositiveIntegerField()
    vocab = models.PositiveIntegerField()
    tied_embeddings = models.BooleanField()
    gated_mlp = models.BooleanField()
    max_context = models.PositiveIntegerField()
    sliding_window = models.PositiveIntegerField(null=True, blank=True)
    sliding_pattern = models.CharField(max_length=60, blank=True)
    attention = models.CharField(max_length=8)
    q_lora_rank = models.PositiveIntegerField(null=True, blank=True)
    kv_lora_rank = models.PositiveIntegerField(null=True, blank=True)
    qk_nope_head_dim = models.PositiveIntegerField(null=True, blank=True)
    qk_rope_head_dim = models.PositiveIntegerField(null=True, blank=True)
    v_head_dim = models.PositiveIntegerField(null=True, blank=True)
    n_experts = models.PositiveIntegerField(null=True, blank=True)
    experts_top_k = models.PositiveIntegerField(null=True, blank=True)
    moe_intermediate = models.PositiveIntegerField(null=True, blank=True)
    shared_experts = models.PositiveIntegerField(null=True, blank=True)
    shared_intermediate = models.PositiveIntegerField(null=True, blank=True)
    moe_layers = models.PositiveIntegerField(null=True, blank=True)
    dense_layers = models.PositiveIntegerField(null=True, blank=True)
    kv_bytes_per_token_16bit = models.PositiveIntegerField()
    native_dtype = models.CharField(max_length=30, blank=True)
    source = models.TextField()
    note = models.TextField(blank=True)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(Lower("name"), name="language_model_name_any_case")]

    def __str__(self) -> str:
        return self.name
